/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses and what they were resolved to, by numbers: one for each address, and one for each function that is inlined there.
 * Bounded: when it is full it is emptied, and numbers go on, so that consumers may keep tables by them.
 */
#ifndef PERF_SYMBOL_FRAME_TABLE_H
#define PERF_SYMBOL_FRAME_TABLE_H

#include <stdbool.h>
#include "util/lib/hash-index.h"
#include "util/symbol/location.h"

struct frame_slot { /* half a cache line */
	u64 addr, version; /* of the maps */
	u32 number;	   /* of the address; up to the table's base: the slot is empty */
	u32 inlined;	   /* the number of the first of nr_inlined frames, which stand for the address in callchains */
	u32 nr_inlined;	   /* 0: none */
	u8 mode; /* a cpumode, and FRAME_CALLER: see resolve.h */
	bool inlined_known;
	bool interrupts; /* see code-table.h */
};

struct frame_table { /* starts zeroed */
	struct frame_slot *slot;
	u32 nr, mask; /* number of slots: mask + 1 */
	struct location *loc; /* by number, from base + 1 on */
	u32 *code; /* the same: numbers of code-table.h; 0: unknown, or it is one of several functions there */
	u32 nr_locs, alloc, base;
	u32 nr_emptied; /* how many times */
	bool unnumbered; /* there are no more numbers: equal ones need not be equal locations any more */
};

void frame_table__exit(struct frame_table *table);

static inline u32 frame_hash(u64 version, u8 mode, u64 addr)
{
	return hash_mix(hash_mix(version, mode), addr);
}

static inline void frame_table__prefetch_hash(const struct frame_table *table, u32 hash)
{
	if (table->slot)
		__builtin_prefetch(&table->slot[hash & table->mask]);
}

/* NULL: not known */
static inline struct frame_slot *frame_table__find_hash(const struct frame_table *table, u32 hash, u64 version, u8 mode, u64 addr)
{
	if (!table->slot)
		return NULL;
	for (u32 i = hash;; i++) {
		struct frame_slot *slot = &table->slot[i & table->mask];

		if (slot->number <= table->base)
			return NULL;
		if (slot->addr == addr && slot->version == version && slot->mode == mode)
			return slot;
	}
}

static inline struct frame_slot *frame_table__find(const struct frame_table *table, u64 version, u8 mode, u64 addr)
{
	return frame_table__find_hash(table, frame_hash(version, mode, addr), version, mode, addr);
}

/* Valid until the next location is added or the table is emptied. */
static inline struct location *frame_table__at(const struct frame_table *table, u32 number)
{
	return &table->loc[number - table->base - 1];
}

static inline u32 frame_table__code(const struct frame_table *table, u32 number)
{
	return table->code[number - table->base - 1];
}

/* Add what was not found, its location, and the number of its code. Valid until the next one is added. NULL: no memory. */
struct frame_slot *frame_table__add(struct frame_table *table, u64 version, u8 mode, u64 addr, const struct location *loc, u32 code);
/* Add one more location. Returns its number; 0: no memory. */
u32 frame_table__add_location(struct frame_table *table, const struct location *loc, u32 code);

/* Is it time to empty it? */
bool frame_table__is_full(const struct frame_table *table);
void frame_table__empty(struct frame_table *table);
/* Empty it, and free its memory until the next one is added. */
void frame_table__release(struct frame_table *table);

#endif
