/* SPDX-License-Identifier: GPL-2.0 */
/* Entries of one size by their numbers, which begin near 0. Grows; unset entries take little memory. */
#ifndef PERF_LIB_NUMBER_TABLE_H
#define PERF_LIB_NUMBER_TABLE_H

#include <stddef.h>
#include "util/lib/types.h"

struct number_table { /* starts zeroed except for the size */
	size_t size; /* of an entry */
	char *entry;
	u32 alloc;
	u32 end; /* after the last one that was set */
};

/* Zeroed if it was not set, or NULL beyond the last one. Valid until the next __get(), as is the result of that. */
static inline void *number_table__find(const struct number_table *table, u32 number)
{
	return number < table->end ? table->entry + number * table->size : NULL;
}

void *number_table__get(struct number_table *table, u32 number); /* to be set; NULL: no memory */
void number_table__empty(struct number_table *table);
void number_table__exit(struct number_table *table);

#endif
