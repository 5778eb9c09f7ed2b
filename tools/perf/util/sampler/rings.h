/* SPDX-License-Identifier: GPL-2.0 */
/* One perf ring buffer: a control page and 2^n data pages that the kernel fills (perf_event_open(2), "MMAP layout"). */
#ifndef PERF_SAMPLER_RINGS_H
#define PERF_SAMPLER_RINGS_H

#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct ring {
	struct perf_event_mmap_page *control; /* NULL: not mapped */
	const char *data;
	size_t size;	/* bytes of data, a power of two */
	int fd;		/* the event that mapped it; others write into it after SET_OUTPUT. Not owned */
	bool overwrite;	/* mapped for overwriting */
	u64 fetched;	/* with overwrite: data_head at the last snapshot */
	bool slow_reader; /* whoever drains it may wait for others at any record */
	pthread_mutex_t lock; /* of the ring's tail, and of what was set aside; zeros are fine */
	char *aside;	/* records that were taken out and not passed on yet; they come before those in the ring */
	size_t nr_aside, room_aside; /* bytes */
};

typedef int (*ring_cb)(void *data, const void *records, size_t size);

/* overwrite: when it is full, the kernel overwrites the oldest records; the events have attr.write_backward. */
int ring__map(struct ring *ring, int perf_fd, unsigned int pages, bool overwrite, struct errmsg *err);
void ring__unmap(struct ring *ring);

/*
 * Pass all records in the ring to cb in contiguous runs; one that wraps around the end is first copied to bounce (RING_BOUNCE_SIZE
 * bytes, 8-byte aligned). Frees space run by run. Stops at cb's negative return and returns it.
 *
 * Runs with records of mappings, whose files cb may look for, are taken out of the ring first: while cb waits for other users' files, the ring has
 * all of its room, and ring__set_aside() can be called.
 */
#define RING_BOUNCE_SIZE 65536 /* header.size has 16 bits */
int ring__drain(struct ring *ring, ring_cb cb, void *data, void *bounce, u64 *nr_bytes);

/*
 * By another thread, while the one that drains is busy: take all records out of the ring and keep them for the next ring__drain(). Returns the
 * number of bytes; 0: nothing was there, it would be more than max_bytes, there is no memory, or the ring is being drained.
 */
size_t ring__set_aside(struct ring *ring, size_t max_bytes);

/*
 * For overwrite: pass all records that were not passed before to cb, the newest first. During the call the kernel writes none and
 * counts them as lost. Otherwise as ring__drain(); also -errno if the kernel refuses.
 */
int ring__snapshot(struct ring *ring, ring_cb cb, void *data, void *bounce);
/* The same while nobody writes. */
int ring__fetch(struct ring *ring, ring_cb cb, void *data, void *bounce);

/* Default number of pages of a ring, without -m. */
unsigned int ring__default_pages(void);

#endif
