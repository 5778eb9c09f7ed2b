/* SPDX-License-Identifier: GPL-2.0 */
/* One perf ring buffer: a control page and 2^n data pages that the kernel fills (perf_event_open(2), "MMAP layout"). */
#ifndef PERF_SAMPLER_RINGS_H
#define PERF_SAMPLER_RINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct ring {
	struct perf_event_mmap_page *control; /* NULL: not mapped */
	const char *data;
	size_t size;	/* bytes of data, a power of two */
	int fd;		/* the event that it was mapped by; others write into it after SET_OUTPUT. Not owned */
	bool overwrite;	/* as it was mapped */
	u64 fetched;	/* of one that is overwritten: data_head as of the last snapshot */
};

typedef int (*ring_cb)(void *data, const void *records, size_t size);

/* overwrite: the kernel goes on when it is full, over the oldest records; the events have attr.write_backward. */
int ring__map(struct ring *ring, int perf_fd, unsigned int pages, bool overwrite, struct errmsg *err);
void ring__unmap(struct ring *ring);

/*
 * Hand all records that are in the ring now to cb in contiguous runs; one that wraps around the end is copied to bounce
 * (RING_BOUNCE_SIZE bytes, 8-byte aligned) first. Room is given back run by run. Stops at cb's negative return.
 */
#define RING_BOUNCE_SIZE 65536 /* header.size has 16 bits */
int ring__drain(struct ring *ring, ring_cb cb, void *data, void *bounce, u64 *nr_bytes);

/*
 * Of a ring that is overwritten: hand what is there, and was not handed out before, to cb, the newest records first. Meanwhile the kernel
 * writes none and counts them as lost. Else as ring__drain(); also -errno if the kernel refuses.
 */
int ring__snapshot(struct ring *ring, ring_cb cb, void *data, void *bounce);
/* The same while nobody writes. */
int ring__fetch(struct ring *ring, ring_cb cb, void *data, void *bounce);

/* Pages a ring has when the user gave no -m. */
unsigned int ring__default_pages(void);

#endif
