// SPDX-License-Identifier: GPL-2.0
#include "util/lib/number-table.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/pages.h"

#define FIRST_ENTRIES 4096

void *number_table__get(struct number_table *table, u32 number)
{
	u32 alloc = table->alloc ?: FIRST_ENTRIES;

	while (alloc <= number && alloc < UINT32_MAX / 2)
		alloc *= 2;
	if (alloc <= number)
		return NULL;
	if (alloc > table->alloc) {
		void *more = pages__grow(table->entry, table->alloc * table->size, alloc * table->size);

		if (!more)
			return NULL;
		table->entry = more;
		table->alloc = alloc;
	}
	if (number >= table->end) {
		table->end = number + 1;
		/* A page that is read before it is written to takes two faults, and callers do read the entry first. */
		((volatile char *)table->entry)[table->end * table->size - 1] = 0;
	}
	return table->entry + number * table->size;
}

void number_table__empty(struct number_table *table)
{
	if (table->end)
		memset(table->entry, 0, table->end * table->size);
	table->end = 0;
}

void number_table__exit(struct number_table *table)
{
	pages__delete(table->entry, table->alloc * table->size);
}
