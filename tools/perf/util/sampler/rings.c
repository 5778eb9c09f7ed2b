// SPDX-License-Identifier: GPL-2.0
#include "util/sampler/rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "util/lib/advice.h"
#include "util/lib/fs.h"

#define DEFAULT_RING_SIZE (512 * 1024)
#define MLOCK_KB "/proc/sys/kernel/perf_event_mlock_kb"

/*
 * perf_event_mlock_kb limits what one user may pin per CPU without CAP_IPC_LOCK, including control pages: its default of 516 KiB is
 * for rings of 512 KiB. A smaller limit makes smaller rings, a larger one does not make larger ones.
 */
unsigned int ring__default_pages(void)
{
	size_t page = sysconf(_SC_PAGESIZE), size = DEFAULT_RING_SIZE;
	unsigned int pages;
	int kb;

	if (!fs__read_int(MLOCK_KB, &kb) && kb >= 0 && (size_t)kb * 1024 < size + page)
		size = (size_t)kb * 1024 > page ? (size_t)kb * 1024 - page : 0;
	for (pages = 1; pages * 2 * page <= size; pages *= 2)
		;
	return pages;
}

static int ring__explain(int error, unsigned int pages, struct errmsg *err)
{
	switch (error) {
	case EPERM:
		return errmsg__set(err, error, "cannot map a ring buffer of %u page%s: it is more than this user may lock in memory\n"
				   "Take smaller ones (-m %u), raise " MLOCK_KB ",\n"
				   "or give perf CAP_IPC_LOCK", pages, plural(pages), pages > 1 ? pages / 2 : 1);
	case ENOMEM:
		return errmsg__set(err, error, "not enough memory for a ring buffer of %u page%s: take smaller ones (-m)", pages, plural(pages));
	case EINVAL:
		return errmsg__set(err, error, "the kernel refuses a ring buffer of %u page%s: take smaller ones (-m)", pages, plural(pages));
	default:
		return errmsg__set(err, error, "cannot map a ring buffer of %u page%s: %s", pages, plural(pages), strerror(error));
	}
}

int ring__map(struct ring *ring, int perf_fd, unsigned int pages, bool overwrite, struct errmsg *err)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *map;

	/* A read-only mapping cannot free space: it makes the kernel overwrite records. */
	map = mmap(NULL, (pages + (size_t)1) * page, PROT_READ | (overwrite ? 0 : PROT_WRITE), MAP_SHARED, perf_fd, 0);
	if (map == MAP_FAILED)
		return ring__explain(errno, pages, err);
	ring->control = map;
	ring->data = (const char *)map + page;
	ring->size = pages * page;
	ring->fd = perf_fd;
	ring->overwrite = overwrite;
	ring->fetched = 0;
	return 0;
}

void ring__unmap(struct ring *ring)
{
	if (ring->control)
		munmap(ring->control, ring->size + (size_t)(ring->data - (const char *)ring->control));
	ring->control = NULL;
	free(ring->aside);
	ring->aside = NULL;
	ring->nr_aside = ring->room_aside = 0;
}

/* Sizes and offsets of records are multiples of 8 bytes: a header never wraps, only what follows it. */
static const struct perf_event_header *ring__header(const struct ring *ring, u64 pos)
{
	return (const void *)(ring->data + (pos & (ring->size - 1)));
}

/*
 * Length of whole records from tail on that do not wrap: 0 if the first one does. The kernel moves head by whole records, so a size
 * that does not fit means that the memory was overwritten: -EIO rather than a wrong file. Compare positions by their difference, as
 * those of overwritten rings begin below 0.
 */
static ssize_t ring__run(const struct ring *ring, u64 tail, u64 head)
{
	const u64 bytes = head - tail, to_end = ring->size - (tail & (ring->size - 1));
	u64 done = 0;

	if (bytes > ring->size)
		return -EIO;
	if (bytes <= to_end)
		return bytes;
	while (done < to_end) {
		u16 size = ring__header(ring, tail + done)->size;

		if (size < sizeof(struct perf_event_header) || size % 8 || size > bytes - done)
			return -EIO;
		if (done + size > to_end)
			break;
		done += size;
	}
	return done;
}

static size_t ring__unwrap(const struct ring *ring, u64 tail, char *bounce)
{
	size_t size = ring__header(ring, tail)->size;
	size_t off = tail & (ring->size - 1), part = ring->size - off;

	memcpy(bounce, ring->data + off, part);
	memcpy(bounce + part, ring->data, size - part);
	return size;
}

/* Set the run of records at tail, in one piece. Returns its size, or -EIO */
static ssize_t ring__get(const struct ring *ring, u64 tail, u64 head, char *bounce, const void **records)
{
	ssize_t size = ring__run(ring, tail, head);

	*records = size ? ring__header(ring, tail) : (const void *)bounce;
	return size ? size : (ssize_t)ring__unwrap(ring, tail, bounce);
}

static bool has_mapping(const struct ring *ring, u64 tail, u64 head)
{
	while (head - tail >= sizeof(struct perf_event_header) && head - tail <= ring->size) {
		const struct perf_event_header *header = ring__header(ring, tail);

		if (header->type == PERF_RECORD_MMAP2 || header->size < sizeof(*header))
			return header->type == PERF_RECORD_MMAP2;
		tail += header->size;
	}
	return false;
}

/* With the lock. Bytes that were taken out, or -errno */
static ssize_t ring__take_out(struct ring *ring, u64 head)
{
	const u64 tail = ring->control->data_tail, bytes = head - tail, from = tail & (ring->size - 1);
	const size_t part = bytes < ring->size - from ? bytes : ring->size - from;

	if (bytes > ring->size)
		return -EIO;
	if (ring->room_aside - ring->nr_aside < bytes) {
		const size_t room = ring->nr_aside + bytes > 2 * ring->room_aside ? ring->nr_aside + bytes : 2 * ring->room_aside;
		char *grown = realloc(ring->aside, room);

		if (!grown)
			return -ENOMEM;
		ring->aside = grown;
		ring->room_aside = room;
	}
	memcpy(ring->aside + ring->nr_aside, ring->data + from, part);
	memcpy(ring->aside + ring->nr_aside + part, ring->data, bytes - part);
	ring->nr_aside += bytes;
	__atomic_store_n(&ring->control->data_tail, head, __ATOMIC_RELEASE);
	return bytes;
}

size_t ring__set_aside(struct ring *ring, size_t max_bytes)
{
	const u64 head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
	ssize_t size = 0;

	if (ring->control->data_tail == head || pthread_mutex_trylock(&ring->lock))
		return 0;
	if (head - ring->control->data_tail <= max_bytes && (s64)(head - ring->control->data_tail) > 0)
		size = ring__take_out(ring, head);
	pthread_mutex_unlock(&ring->lock);
	return size > 0 ? size : 0;
}

/* With the lock, which others get while cb has the records. Bytes, or an error */
static ssize_t ring__pass_aside(struct ring *ring, ring_cb cb, void *data)
{
	const size_t size = ring->nr_aside;
	char *records = ring->aside;
	int ret;

	ring->aside = NULL;
	ring->nr_aside = ring->room_aside = 0;
	pthread_mutex_unlock(&ring->lock);
	ret = cb(data, records, size);
	free(records);
	pthread_mutex_lock(&ring->lock);
	return ret < 0 ? ret : (ssize_t)size;
}

/* With the lock. The next run from the ring itself: its size, or an error */
static ssize_t ring__pass_run(struct ring *ring, u64 head, ring_cb cb, void *data, void *bounce)
{
	const u64 tail = ring->control->data_tail;
	const void *records;
	ssize_t size = ring__get(ring, tail, head, bounce, &records);
	int err = size < 0 ? size : cb(data, records, size);

	if (err < 0)
		return err;
	/* Our reads must be complete before the kernel may write there again. */
	__atomic_store_n(&ring->control->data_tail, tail + size, __ATOMIC_RELEASE);
	return size;
}

int ring__drain(struct ring *ring, ring_cb cb, void *data, void *bounce, u64 *nr_bytes)
{
	/* Pairs with the kernel's store of data_head after the records (kernel/events/ring_buffer.c, perf_output_put_handle). */
	const u64 head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
	ssize_t size = 0;

	pthread_mutex_lock(&ring->lock);
	/* Up to head only: more may be set aside all the time. What is aside ends at the tail. */
	while (size >= 0 && (s64)(head - (ring->control->data_tail - ring->nr_aside)) > 0) {
		if (!ring->nr_aside && (ring->slow_reader || has_mapping(ring, ring->control->data_tail, head)))
			size = ring__take_out(ring, head);
		if (size >= 0)
			size = ring->nr_aside ? ring__pass_aside(ring, cb, data) : ring__pass_run(ring, head, cb, data, bounce);
		if (nr_bytes && size > 0)
			*nr_bytes += size;
	}
	pthread_mutex_unlock(&ring->lock);
	return size < 0 ? size : 0;
}

/*
 * The kernel writes from the end of the memory towards its beginning and round again, so that the newest record is at head and older
 * ones follow. Find the end of the whole ones: the last may be partly overwritten, and memory that was never written is 0.
 */
static u64 ring__oldest(const struct ring *ring, u64 head)
{
	u64 pos = head;

	if (ring->fetched - head <= ring->size)
		return ring->fetched;
	while (pos - head < ring->size) {
		u16 size = ring__header(ring, pos)->size;

		if (size < sizeof(struct perf_event_header) || size % 8 || pos + size - head > ring->size)
			break;
		pos += size;
	}
	return pos;
}

int ring__fetch(struct ring *ring, ring_cb cb, void *data, void *bounce)
{
	u64 head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE), pos = head, end = ring__oldest(ring, head);

	while (pos != end) {
		const void *records;
		ssize_t size = ring__get(ring, pos, end, bounce, &records);
		int err = size < 0 ? size : cb(data, records, size);

		if (err < 0)
			return err;
		pos += size;
	}
	ring->fetched = head;
	return 0;
}

int ring__snapshot(struct ring *ring, ring_cb cb, void *data, void *bounce)
{
	int ret;

	if (ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1))
		return -errno;
	ret = ring__fetch(ring, cb, data, bounce);
	if (ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0) && !ret)
		ret = -errno;
	return ret;
}
