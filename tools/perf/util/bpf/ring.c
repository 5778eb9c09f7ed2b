// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
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
static int map_pages(struct bpf_ring *ring, int map_fd, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	ring->consumer = map;
	map = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, map_fd, page);
	if (map == MAP_FAILED)
		return -errno;
	ring->producer = map;
	ring->data = (const char *)map + page;
	return 0;
}

int bpf_ring__map(struct bpf_ring *ring, int map_fd, size_t size, struct errmsg *err)
{
	int ret;

	pthread_mutex_lock(&ring->lock);
	ring->size = size;
	ring->stage = malloc(STAGE_SIZE);
	ret = ring->stage ? map_pages(ring, map_fd, size) : -ENOMEM;
	pthread_mutex_unlock(&ring->lock);
	if (!ret)
		return 0;
	bpf_ring__unmap(ring);
	return errmsg__set(err, -ret, "cannot map a BPF ring buffer of %zu bytes: %s", size, strerror(-ret));
}

void bpf_ring__unmap(struct bpf_ring *ring)
{
	size_t page = sysconf(_SC_PAGESIZE);

	pthread_mutex_lock(&ring->lock);
	if (ring->producer)
		munmap((void *)ring->producer, page + 2 * ring->size);
	if (ring->consumer)
		munmap(ring->consumer, page);
	free(ring->stage);
	free(ring->aside);
	ring->consumer = NULL;
	ring->producer = NULL;
	ring->data = NULL;
	ring->stage = NULL;
	ring->aside = NULL;
	ring->size = ring->nr_aside = ring->room_aside = 0;
	pthread_mutex_unlock(&ring->lock);
}

struct entry {
	const void *data;
	u32 len; /* as in its header: with flags */
	size_t size, next; /* of the data; from its header to the next one */
};

/* Is it whole? Then that is the entry at this place. */
static bool get_entry(const char *at, struct entry *entry)
{
	/* Pairs with the exchange that committed the entry. */
	entry->len = __atomic_load_n((const u32 *)at, __ATOMIC_ACQUIRE);
	entry->size = entry->len & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	entry->next = (BPF_RINGBUF_HDR_SZ + entry->size + 7) & ~7UL;
	entry->data = at + BPF_RINGBUF_HDR_SZ;
	return !(entry->len & BPF_RINGBUF_BUSY_BIT);
}

static const char *ring__at(const struct bpf_ring *ring, unsigned long pos)
{
	return ring->data + (pos & (ring->size - 1));
}

/* Setting aside */

/* Bytes of the whole entries from pos on, of at most max_bytes; -EIO: there are none that a program can have written */
static ssize_t whole_entries(const struct bpf_ring *ring, unsigned long pos, unsigned long end, size_t max_bytes)
{
	unsigned long at = pos;
	struct entry entry;

	while (at < end && get_entry(ring__at(ring, at), &entry)) {
		if (entry.next > end - at)
			return -EIO;
		if (at + entry.next - pos > max_bytes)
			break;
		at += entry.next;
	}
	return at - pos;
}

/* With the lock. Bytes that were taken out, or -errno */
static ssize_t ring__take_out(struct bpf_ring *ring, unsigned long end, size_t max_bytes)
{
	const unsigned long pos = *ring->consumer;
	const ssize_t size = whole_entries(ring, pos, end, max_bytes);

	if (size <= 0)
		return size;
	if (ring->room_aside - ring->nr_aside < (size_t)size) {
		const size_t least = ring->nr_aside + size, room = least > 2 * ring->room_aside ? least : 2 * ring->room_aside;
		char *grown = realloc(ring->aside, room);

		if (!grown)
			return -ENOMEM;
		ring->aside = grown;
		ring->room_aside = room;
	}
	memcpy(ring->aside + ring->nr_aside, ring__at(ring, pos), size); /* the data is there twice */
	ring->nr_aside += size;
	__atomic_store_n(ring->consumer, pos + size, __ATOMIC_RELEASE);
	return size;
}

size_t bpf_ring__set_aside(struct bpf_ring *ring, size_t max_aside)
{
	ssize_t size = 0;

	if (pthread_mutex_trylock(&ring->lock))
		return 0;
	if (ring->consumer && ring->producer && ring->nr_aside < max_aside)
		size = ring__take_out(ring, __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE), max_aside - ring->nr_aside);
	pthread_mutex_unlock(&ring->lock);
	return size > 0 ? size : 0;
}

/* Draining */

/* What of the entry goes into the stage: the record; of a raw one its header in the ring, too. -EIO: malformed */
static ssize_t wanted_part(const struct bpf_ring *ring, const struct entry *entry, const void **part)
{
	const struct perf_event_header *header = entry->data;

	*part = ring->raw ? entry->data - BPF_RINGBUF_HDR_SZ : entry->data;
	if (entry->size > MAX_RECORD)
		return -EIO;
	if (entry->len & BPF_RINGBUF_DISCARD_BIT)
		return 0;
	if (ring->raw)
		return entry->next;
	return entry->size < sizeof(*header) || entry->size % 8 || header->size != entry->size ? -EIO : (ssize_t)entry->size;
}

/* Copy whole records from *pos on into the stage until it is full or an entry is still being written. mask: of data that is a ring */
static ssize_t fill_stage(const struct bpf_ring *ring, const char *data, size_t mask, unsigned long *pos, unsigned long end)
{
	struct entry entry;
	size_t used = 0;

	for (; *pos < end && get_entry(data + (*pos & mask), &entry); *pos += entry.next) {
		const void *part;
		ssize_t size = wanted_part(ring, &entry, &part);

		if (size < 0)
			return size;
		if (used + size > STAGE_SIZE)
			break;
		memcpy(ring->stage + used, part, size);
		used += size;
	}
	return used;
}

typedef int (*records_cb)(void *data, const void *records, size_t size);

/* With the lock, which others get while cb has the records, as in the next. Bytes of records, or an error */
static ssize_t ring__pass_aside(struct bpf_ring *ring, records_cb cb, void *data)
{
	const unsigned long end = ring->nr_aside;
	char *entries = ring->aside;
	unsigned long pos = 0;
	ssize_t size, sum = 0;
	int ret = 0;

	ring->aside = NULL;
	ring->nr_aside = ring->room_aside = 0;
	pthread_mutex_unlock(&ring->lock);
	while (ret >= 0 && pos < end) {
		size = fill_stage(ring, entries, ~0UL, &pos, end);
		ret = size > 0 ? cb(data, ring->stage, size) : size;
		sum += size;
	}
	free(entries);
	pthread_mutex_lock(&ring->lock);
	return ret < 0 ? ret : sum;
}

static ssize_t ring__pass_run(struct bpf_ring *ring, unsigned long end, records_cb cb, void *data)
{
	unsigned long pos = *ring->consumer;
	ssize_t size = fill_stage(ring, ring->data, ring->size - 1, &pos, end);
	int ret = 0;

	if (size < 0)
		return size;
	/* Our reads must be complete before the space is written again. */
	__atomic_store_n(ring->consumer, pos, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&ring->lock);
	if (size)
		ret = cb(data, ring->stage, size);
	pthread_mutex_lock(&ring->lock);
	return ret < 0 ? ret : size;
}

/* With the lock. Is there an entry before end? Up to there only: more may be set aside all the time. */
static bool has_entry(const struct bpf_ring *ring, unsigned long end)
{
	struct entry entry;

	if (ring->nr_aside)
		return (long)(end - (*ring->consumer - ring->nr_aside)) > 0;
	return (long)(end - *ring->consumer) > 0 && get_entry(ring__at(ring, *ring->consumer), &entry);
}

int bpf_ring__drain(struct bpf_ring *ring, records_cb cb, void *data, u64 *nr_bytes)
{
	const unsigned long end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	ssize_t size = 0;

	pthread_mutex_lock(&ring->lock);
	while (size >= 0 && has_entry(ring, end)) {
		size = ring->nr_aside ? ring__pass_aside(ring, cb, data) : ring__pass_run(ring, end, cb, data);
		if (nr_bytes && size > 0)
			*nr_bytes += size;
	}
	pthread_mutex_unlock(&ring->lock);
	return size < 0 ? size : 0;
}

/* The position up to which all entries were passed on */
static unsigned long passed(struct bpf_ring *ring)
{
	unsigned long pos;

	pthread_mutex_lock(&ring->lock);
	pos = *ring->consumer - ring->nr_aside;
	pthread_mutex_unlock(&ring->lock);
	return pos;
}

struct entries {
	int (*cb)(void *data, void *entry, size_t size);
	void *data;
};

static int pass_entries(void *data, const void *staged, size_t size)
{
	const struct entries *to = data;
	struct entry entry;
	int ret = 0;

	for (size_t at = 0; at < size && ret >= 0; at += entry.next) {
		get_entry((const char *)staged + at, &entry);
		ret = to->cb(to->data, (void *)entry.data, entry.size);
	}
	return ret;
}

int bpf_ring__drain_entries(struct bpf_ring *ring, int (*cb)(void *data, void *entry, size_t size), void *data)
{
	ring->raw = true;
	return bpf_ring__drain(ring, pass_entries, &(struct entries){ cb, data }, NULL);
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
		if (ret || (long)(passed(ring) - end) >= 0)
			return ret;
		sched_yield();
	}
}
