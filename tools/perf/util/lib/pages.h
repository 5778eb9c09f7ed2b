/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Large tables with random access. On normal pages nearly each access would miss the TLB, too; these use huge pages from 8 MiB on where the
 * kernel has them (transparent huge pages on demand). Untouched parts take no memory.
 */
#ifndef PERF_LIB_PAGES_H
#define PERF_LIB_PAGES_H

#include <stddef.h>

void *pages__new(size_t size); /* zeroed; NULL: no memory */
void pages__delete(void *table, size_t size); /* size: as at its creation; table may be NULL */
/* Replace the table by a larger one with its contents; NULL: no memory, the old one stays. */
void *pages__grow(void *table, size_t old_size, size_t size);

/*
 * Take the memory of a table at once, without its first bytes, which are in use. It is for tables that will use most of their pages: a fault for
 * each page takes three times as long, and a page that is read before it is written to takes two faults. Kernels before 5.14 ignore it.
 */
void pages__populate(void *table, size_t size, size_t first);

/* For tables of which few entries are ever used: on normal pages, one by one. */
void *pages__new_sparse(size_t size); /* zeroed; NULL: no memory */
void pages__delete_sparse(void *table, size_t size);

/*
 * Let tables of malloc(3) from this size on go back to the kernel when they are freed: by default glibc keeps tables up to the size of the
 * largest one that was freed, for each thread that loads symbols. Smaller ones are used again: to get a page from the kernel takes ten
 * times as long as to clear one. Call it at the start of the program.
 */
void pages__return_freed(size_t size);

#endif
