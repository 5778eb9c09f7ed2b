/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small values by pairs of numbers, in slots of 16 bytes: a search reads one cache line, where an index of an array would read two. Open
 * addressing. Starts zeroed.
 */
#ifndef PERF_LIB_PAIR_TABLE_H
#define PERF_LIB_PAIR_TABLE_H

#include <stdbool.h>
#include "util/lib/hash-index.h"

#define PAIR_VALUE_BITS 22
#define PAIR_SECOND_BITS (64 - PAIR_VALUE_BITS)

struct pair {
	u64 first, second; /* second: in PAIR_SECOND_BITS */
};

struct pair_slot {
	u64 first;
	u64 rest; /* second in the upper bits, the value in the PAIR_VALUE_BITS lower ones; 0: empty */
};

struct pair_table {
	struct pair_slot *slot;
	u32 nr, mask; /* number of slots: mask + 1 */
};

static inline u32 pair__hash(struct pair pair)
{
	return hash_mix(hash_mix(0, pair.second), pair.first);
}

/* The slot of the pair, or the empty one where it would be; the table is not empty. */
static inline struct pair_slot *pair_table__slot(const struct pair_table *table, struct pair pair, u32 hash)
{
	struct pair_slot *slot;

	do
		slot = &table->slot[hash++ & table->mask];
	while (slot->rest && (slot->first != pair.first || slot->rest >> PAIR_VALUE_BITS != pair.second));
	return slot;
}

/* 0: it is not there. hash: pair__hash() */
static inline u32 pair_table__find(const struct pair_table *table, struct pair pair, u32 hash)
{
	return table->slot ? pair_table__slot(table, pair, hash)->rest & ((1 << PAIR_VALUE_BITS) - 1) : 0;
}

/* true: the pair is not there, as the first slot of its search is empty. false: it may be there, as another slot decides. */
static inline bool pair_table__may_lack(const struct pair_table *table, u32 hash)
{
	return table->slot && !table->slot[hash & table->mask].rest;
}

static inline void pair_table__prefetch(const struct pair_table *table, u32 hash)
{
	if (table->slot)
		__builtin_prefetch(&table->slot[hash & table->mask]);
}

/* For a pair that is not there. value: not 0, in PAIR_VALUE_BITS. 0 or -ENOMEM */
int pair_table__add(struct pair_table *table, struct pair pair, u32 hash, u32 value);
void pair_table__empty(struct pair_table *table);
void pair_table__exit(struct pair_table *table);

#endif
