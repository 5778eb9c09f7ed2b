// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/frame-table.h"

#include <string.h>

#include "util/lib/pages.h"

#define FIRST_SLOTS 2048
#define MAX_ADDRESSES (1 << 16)
#define MAX_LOCATIONS (1 << 17) /* with inlined functions */
#define HALF (1u << 31) /* no table has more locations than half of all numbers */

static size_t slots_size(const struct frame_table *table)
{
	return table->slot ? ((size_t)table->mask + 1) * sizeof(*table->slot) : 0;
}

static void free_all(const struct frame_table *table)
{
	pages__delete(table->slot, slots_size(table));
	pages__delete(table->loc, (size_t)table->alloc * sizeof(*table->loc));
	pages__delete(table->code, (size_t)table->alloc * sizeof(*table->code));
}

void frame_table__exit(struct frame_table *table)
{
	free_all(table);
	*table = (struct frame_table){};
}

static struct frame_slot *free_slot(const struct frame_table *table, u32 hash)
{
	while (table->slot[hash & table->mask].number > table->base)
		hash++;
	return &table->slot[hash & table->mask];
}

/* Half of the slots stay empty, so that most searches end with the first one. */
static bool reserve(struct frame_table *table)
{
	u64 nr_old = table->slot ? (u64)table->mask + 1 : 0, nr_new = nr_old ? 2 * nr_old : FIRST_SLOTS;
	struct frame_table bigger = *table;

	if (table->nr < nr_old / 2)
		return true;
	bigger.mask = nr_new - 1;
	bigger.slot = nr_new <= UINT32_MAX ? pages__new(nr_new * sizeof(*bigger.slot)) : NULL;
	if (!bigger.slot)
		return false;
	pages__populate(bigger.slot, slots_size(&bigger), 0);
	for (u64 i = 0; i < nr_old; i++) {
		const struct frame_slot *slot = &table->slot[i];

		if (slot->number > table->base)
			*free_slot(&bigger, frame_hash(slot->version, slot->mode, slot->addr)) = *slot;
	}
	pages__delete(table->slot, slots_size(table));
	*table = bigger;
	return true;
}

static bool reserve_locations(struct frame_table *table)
{
	const size_t old = table->alloc, alloc = old ? 2 * old : 1024;
	struct location *loc;
	u32 *code;

	if (table->nr_locs < old)
		return true;
	code = alloc <= HALF ? pages__new(alloc * sizeof(*code)) : NULL;
	loc = code ? pages__grow(table->loc, old * sizeof(*loc), alloc * sizeof(*loc)) : NULL;
	if (!loc) {
		pages__delete(code, alloc * sizeof(*code));
		return false;
	}
	if (old)
		memcpy(code, table->code, old * sizeof(*code));
	pages__delete(table->code, old * sizeof(*code));
	table->loc = loc;
	table->code = code;
	table->alloc = alloc;
	return true;
}

u32 frame_table__add_location(struct frame_table *table, const struct location *loc, u32 code)
{
	if (!reserve_locations(table))
		return 0;
	table->loc[table->nr_locs] = *loc;
	table->code[table->nr_locs] = code;
	return table->base + ++table->nr_locs;
}

struct frame_slot *frame_table__add(struct frame_table *table, u64 version, u8 mode, u64 addr, const struct location *loc, u32 code)
{
	u32 number = reserve(table) ? frame_table__add_location(table, loc, code) : 0;
	struct frame_slot *slot;

	if (!number)
		return NULL;
	frame_table__at(table, number)->number = table->unnumbered ? 0 : number;
	slot = free_slot(table, frame_hash(version, mode, addr));
	*slot = (struct frame_slot){ .addr = addr, .version = version, .number = number, .mode = mode };
	table->nr++;
	return slot;
}

bool frame_table__is_full(const struct frame_table *table)
{
	return table->nr >= MAX_ADDRESSES || table->nr_locs >= MAX_LOCATIONS;
}

/* What was there has numbers up to the new base. */
void frame_table__empty(struct frame_table *table)
{
	if (table->base < HALF) {
		table->base += table->nr_locs;
	} else {
		table->unnumbered = true;
		if (table->slot)
			memset(table->slot, 0, slots_size(table));
	}
	table->nr = table->nr_locs = 0;
	table->nr_emptied++;
}

void frame_table__release(struct frame_table *table)
{
	frame_table__empty(table);
	free_all(table);
	*table = (struct frame_table){ .base = table->base, .nr_emptied = table->nr_emptied, .unnumbered = table->unnumbered };
}
