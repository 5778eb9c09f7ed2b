/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reading side of a BPF ring buffer (BPF_MAP_TYPE_RINGBUF) whose entries are whole perf records. The ring's 8-byte headers
 * before each record are removed here, so that records can be written as they are, many at a time.
 */
#ifndef PERF_BPF_RING_H
#define PERF_BPF_RING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct bpf_ring {
	unsigned long *consumer;	/* a page; NULL: not mapped */
	const unsigned long *producer;	/* a page, and the data twice, so that nothing wraps */
	const char *data;
	size_t size;
	char *stage;
	bool raw;	/* entries are no perf records: see bpf_ring__drain_entries() */
	pthread_mutex_t lock; /* of the consumer's position, and of what was set aside; zeros are fine */
	char *aside;	/* entries as in the ring, which were taken out and not passed on yet; they come before those in the ring */
	size_t nr_aside, room_aside; /* bytes */
};

/* size: of the map, a power of two and a multiple of the page size. */
int bpf_ring__map(struct bpf_ring *ring, int map_fd, size_t size, struct errmsg *err);
void bpf_ring__unmap(struct bpf_ring *ring);

/*
 * Pass records to cb, in runs of whole ones: at least those that were in the ring at the call. Stops at cb's negative return. -EIO: malformed
 * record.
 */
int bpf_ring__drain(struct bpf_ring *ring, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes);

/*
 * The same for a ring whose entries are no perf records: each is passed to cb by itself.
 */
int bpf_ring__drain_entries(struct bpf_ring *ring, int (*cb)(void *data, void *entry, size_t size), void *data);

/*
 * By another thread, while the one that drains is busy: take entries out of the ring and keep them for it, until max_aside bytes wait there. Those
 * that are being passed do not count. Returns the number of bytes; 0: nothing was there, there is no room or no memory, or the ring is not mapped, or
 * is used in this moment.
 */
size_t bpf_ring__set_aside(struct bpf_ring *ring, size_t max_aside);

/*
 * The same as bpf_ring__drain() for everything written before the call: an entry that another CPU is still writing hides those after it, so wait for it.
 */
int bpf_ring__drain_all(struct bpf_ring *ring, int (*cb)(void *data, const void *records, size_t size), void *data);

/* The size of a map for at least this many bytes. */
size_t bpf_ring__size(size_t wanted);

/* The size of one ring that all CPUs write to, if nobody asks for another: as much for each as the kernel's own rings have. */
#define BPF_RING_LEAST (4 << 20)
#define BPF_RING_MOST (64 << 20)
size_t bpf_ring__for_cpus(long nr_cpus);

#endif
