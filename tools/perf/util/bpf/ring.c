// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Large enough that a write(2) is cheap per record, and small enough to still be in the cache then. */
#define STAGE_SIZE (256 * 1024)
#define RING_OF_CPU (512 * 1024)
#define MAX_RECORD 65536 /* perf_event_header.size has 16 bits */

size_t bpf_ring__size(size_t wanted)
{
	size_t size = sysconf(_SC_PAGESIZE);

	while (size < wanted)
		size *= 2;
	return size;
}

size_t bpf_ring__for_cpus(long nr_cpus)
{
	const long most = BPF_RING_MOST / RING_OF_CPU;
	const size_t wanted = nr_cpus > 0 ? (size_t)(nr_cpus < most ? nr_cpus : most) * RING_OF_CPU : 0;

	return bpf_ring__size(wanted > BPF_RING_LEAST ? wanted : BPF_RING_LEAST);
}

/* The layout: kernel/bpf/ringbuf.c, struct bpf_ringbuf */
int bpf_ring__map(struct bpf_ring *ring, int map_fd, size_t size, struct errmsg *err)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *map;
	int ret;

	ring->size = size;
	ring->stage = malloc(STAGE_SIZE);
	if (!ring->stage)
		return errmsg__set(err, ENOMEM, "out of memory for a ring buffer");
	map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (map == MAP_FAILED)
		goto failed;
	ring->consumer = map;
	map = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, map_fd, page);
	if (map == MAP_FAILED)
		goto failed;
	ring->producer = map;
	ring->data = (const char *)map + page;
	return 0;
failed:
	ret = errmsg__set(err, errno, "cannot map a BPF ring buffer of %zu bytes: %s", size, strerror(errno));
	bpf_ring__unmap(ring);
	return ret;
}

void bpf_ring__unmap(struct bpf_ring *ring)
{
	size_t page = sysconf(_SC_PAGESIZE);

	if (ring->producer)
		munmap((void *)ring->producer, page + 2 * ring->size);
	if (ring->consumer)
		munmap(ring->consumer, page);
	free(ring->stage);
	*ring = (struct bpf_ring){ 0 };
}

/* Copy whole records from *pos on into the stage until it is full or an entry is still being written. */
static ssize_t fill_stage(struct bpf_ring *ring, unsigned long *pos, unsigned long end)
{
	size_t used = 0;

	while (*pos < end) {
		const char *entry = ring->data + (*pos & (ring->size - 1));
		/* Pairs with the exchange that committed the entry. */
		u32 len = __atomic_load_n((const u32 *)entry, __ATOMIC_ACQUIRE);
		size_t size = len & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (len & BPF_RINGBUF_BUSY_BIT)
			break;
		if (size > MAX_RECORD)
			return -EIO;
		if (!(len & BPF_RINGBUF_DISCARD_BIT)) {
			const struct perf_event_header *header = (const void *)(entry + BPF_RINGBUF_HDR_SZ);

			if (size < sizeof(*header) || size % 8 || header->size != size)
				return -EIO;
			if (used + size > STAGE_SIZE)
				break;
			memcpy(ring->stage + used, header, size);
			used += size;
		}
		*pos += (BPF_RINGBUF_HDR_SZ + size + 7) & ~7UL;
	}
	return used;
}

int bpf_ring__drain(struct bpf_ring *ring, int (*cb)(void *data, const void *records, size_t size), void *data, u64 *nr_bytes)
{
	unsigned long end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	unsigned long pos = *ring->consumer; /* only we write it */
	ssize_t size;
	int ret;

	do {
		size = fill_stage(ring, &pos, end);
		if (size < 0)
			return size;
		/* Our reads must be complete before the space is written again. */
		__atomic_store_n(ring->consumer, pos, __ATOMIC_RELEASE);
		ret = size ? cb(data, ring->stage, size) : 0;
		if (ret < 0)
			return ret;
		if (nr_bytes)
			*nr_bytes += size;
	} while (size);
	return 0;
}

/*
 * A program writes an entry in less than a microsecond, unless a hypervisor takes its CPU away. The entries of other CPUs after it
 * must not be lost: their samples are in the kernel's rings.
 */
int bpf_ring__drain_all(struct bpf_ring *ring, int (*cb)(void *data, const void *records, size_t size), void *data)
{
	unsigned long end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	int ret;

	for (;;) {
		ret = bpf_ring__drain(ring, cb, data, NULL);
		if (ret || (long)(*ring->consumer - end) >= 0)
			return ret;
		sched_yield();
	}
}
