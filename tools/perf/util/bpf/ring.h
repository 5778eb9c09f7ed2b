/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reading side of a BPF ring buffer (BPF_MAP_TYPE_RINGBUF) whose entries are whole perf records. In the ring each has 8 bytes of
 * the ring's own before it; they are taken out here, so that records can be written as they are, many at a time.
 */
#ifndef PERF_BPF_RING_H
#define PERF_BPF_RING_H

#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct bpf_ring {
	unsigned long *consumer;	/* a page; NULL: not mapped */
	const unsigned long *producer;	/* a page, and the data twice, so that nothing wraps */
	const char *data;
	size_t size;
	char *stage;
};

/* size: of the map, a power of two and a multiple of the page size. */
int bpf_ring__map(struct bpf_ring *ring, int map_fd, size_t size, struct errmsg *err);
void bpf_ring__unmap(struct bpf_ring *ring);

/* What was in the ring when it was called, in runs of whole records; stops at cb's negative return. -EIO: no record is in there. */
int bpf_ring__drain(struct bpf_ring *ring, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes);

/*
 * The same of all that was written before it was called: an entry that another CPU is just writing hides those behind it, and is waited
 * for.
 */
int bpf_ring__drain_all(struct bpf_ring *ring, int (*cb)(void *data, const void *records, size_t size), void *data);

/* The size of a map that holds at least this many bytes. */
size_t bpf_ring__size(size_t wanted);

#endif
