// SPDX-License-Identifier: GPL-2.0
#include "util/lib/pair-table.h"

#include <errno.h>

#include "util/lib/pages.h"

#define FIRST_SLOTS 512

static size_t size_of(const struct pair_table *table)
{
	return table->slot ? ((size_t)table->mask + 1) * sizeof(*table->slot) : 0;
}

static void put(struct pair_table *table, const struct pair_slot *slot)
{
	const struct pair pair = { slot->first, slot->rest >> PAIR_VALUE_BITS };

	*pair_table__slot(table, pair, pair__hash(pair)) = *slot;
}

static int grow(struct pair_table *table)
{
	u64 nr_old = table->slot ? (u64)table->mask + 1 : 0, nr_new = nr_old ? 2 * nr_old : FIRST_SLOTS;
	struct pair_table bigger = { .nr = table->nr, .mask = nr_new - 1 };

	bigger.slot = nr_new <= UINT32_MAX ? pages__new(nr_new * sizeof(*bigger.slot)) : NULL;
	if (!bigger.slot)
		return -ENOMEM;
	pages__populate(bigger.slot, size_of(&bigger), 0);
	for (u64 i = 0; i < nr_old; i++) {
		if (table->slot[i].rest)
			put(&bigger, &table->slot[i]);
	}
	pages__delete(table->slot, size_of(table));
	*table = bigger;
	return 0;
}

int pair_table__add(struct pair_table *table, struct pair pair, u32 hash, u32 value)
{
	/* a quarter stays empty, so that searches are short and end */
	if ((!table->slot || table->nr >= table->mask / 4 * 3) && grow(table))
		return -ENOMEM;
	*pair_table__slot(table, pair, hash) = (struct pair_slot){ pair.first, pair.second << PAIR_VALUE_BITS | value };
	table->nr++;
	return 0;
}

void pair_table__empty(struct pair_table *table)
{
	if (table->slot)
		memset(table->slot, 0, size_of(table));
	table->nr = 0;
}

void pair_table__exit(struct pair_table *table)
{
	pages__delete(table->slot, size_of(table));
	*table = (struct pair_table){};
}
