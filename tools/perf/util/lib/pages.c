// SPDX-License-Identifier: GPL-2.0
#include "util/lib/pages.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE /* glibc 2.35 */
#define MADV_POPULATE_WRITE 23
#endif

#define HUGE_PAGE ((size_t)2 << 20) /* on x86 and arm64 with 4 KiB pages; elsewhere it is only an alignment */
/*
 * Tables of at least this size are put on huge pages. The TLB has room for most of a smaller table's normal pages, and huge ones that are
 * used in part take memory. In a virtual machine, getting one may also take as long as 2,000 normal ones: the host took it back while it
 * was free (free page reporting).
 */
#define LARGE ((size_t)8 << 20)
/* Tables of at least this size are mapped, so that they grow without being copied, and none of their pages is cleared again. */
#define MAPPED ((size_t)128 << 10)

static size_t whole_pages(size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

static char *map_zeroes(size_t size)
{
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

/* Addresses for a table, aligned to huge pages if it may have some; NULL: none. */
static char *reserve(size_t size)
{
	size_t before, room = size + HUGE_PAGE;
	char *map;

	if (size < HUGE_PAGE)
		return map_zeroes(size);
	map = room > size ? map_zeroes(room) : NULL;
	if (!map)
		return NULL;
	before = -(uintptr_t)map % HUGE_PAGE;
	if (before)
		munmap(map, before);
	size = whole_pages(size); /* munmap(2) in __delete rounds up in the same way */
	munmap(map + before + size, room - before - size);
	return map + before;
}

/* Optional: failing only costs time. */
static void use_huge_pages(void *table, size_t size)
{
	if (size >= LARGE)
		madvise(table, size, MADV_HUGEPAGE);
}

void *pages__new(size_t size)
{
	char *table;

	if (size < MAPPED)
		return calloc(1, size);
	table = reserve(size);
	if (table)
		use_huge_pages(table, size);
	return table;
}

void pages__populate(void *table, size_t size, size_t first)
{
	first = whole_pages(first);
	if (size >= MAPPED && first < size)
		madvise((char *)table + first, size - first, MADV_POPULATE_WRITE);
}

void pages__delete(void *table, size_t size)
{
	if (size < MAPPED)
		free(table);
	else if (table)
		munmap(table, size);
}

/* Move the pages to other addresses instead of clearing and copying. NULL: cannot. */
static void *move(void *table, size_t old_size, size_t size)
{
	char *to = reserve(size);

	if (!to)
		return NULL;
	if (mremap(table, whole_pages(old_size), whole_pages(size), MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
		munmap(to, size);
		return NULL;
	}
	use_huge_pages(to, size);
	return to;
}

void *pages__grow(void *table, size_t old_size, size_t size)
{
	void *bigger = old_size >= MAPPED && size > old_size ? move(table, old_size, size) : NULL;

	if (bigger)
		return bigger;
	bigger = pages__new(size);
	if (!bigger)
		return NULL;
	if (old_size)
		memcpy(bigger, table, old_size);
	pages__delete(table, old_size);
	return bigger;
}

#define SPARSE ((size_t)64 << 10) /* smaller tables are used as a whole: malloc(3) may have to clear what it returns */

void *pages__new_sparse(size_t size)
{
	void *table;

	if (size < SPARSE)
		return calloc(1, size);
	table = map_zeroes(size);
	if (table)
		madvise(table, size, MADV_NOHUGEPAGE); /* where huge ones are the default; fails where there are none */
	return table;
}

void pages__delete_sparse(void *table, size_t size)
{
	if (size < SPARSE)
		free(table);
	else if (table)
		munmap(table, size);
}

#define KEPT (1 << 20) /* bytes that stay free at the end of a heap */

void pages__return_freed(size_t size)
{
	mallopt(M_MMAP_THRESHOLD, size);
	mallopt(M_TRIM_THRESHOLD, KEPT);
}
