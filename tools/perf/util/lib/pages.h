/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Large tables that are looked into at random. On ordinary pages nearly each look would miss the TLB too; these lie on huge ones
 * where the kernel has them (transparent huge pages on demand). What is never touched of them costs no memory.
 */
#ifndef PERF_LIB_PAGES_H
#define PERF_LIB_PAGES_H

#include <stddef.h>

void *pages__new(size_t size); /* zeroed; NULL: no memory */
void pages__delete(void *table, size_t size); /* the size that it was made with; table may be NULL */
/* A larger one with the old one's contents, in whose place it is; NULL: no memory, the old one stays. */
void *pages__grow(void *table, size_t old_size, size_t size);

#endif
