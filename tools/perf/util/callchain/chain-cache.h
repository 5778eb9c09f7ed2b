/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callers of samples, resolved: most samples of a recording have callers that were seen before, and only the address that
 * was interrupted is another one. Bounded: when it is full it is emptied.
 */
#ifndef PERF_CALLCHAIN_CHAIN_CACHE_H
#define PERF_CALLCHAIN_CHAIN_CACHE_H

#include "util/symbol/resolve.h"

struct chain_cache;

struct chain_key {
	u64 maps_version; /* machine__maps_version() */
	u32 max_stack;
	u8 cpumode;	  /* of what stands before the first marker */
	const u64 *word;  /* nr words as sampled, markers and all */
	u64 nr;
	u64 leaf;	  /* index of the word that does not count; nr: all do */
};

struct cached_chain {
	u32 number; /* from 1 on; used for one key only; 0: numbers ran out */
	u32 nr;
	struct location *callers; /* nr; callers[-1] is for anybody to write */
};

struct chain_cache *chain_cache__new(void); /* NULL: no memory */
void chain_cache__delete(struct chain_cache *cache);

/* Start to fetch from memory what __find will look at: its slot, and later, with what the first call returned, the entry. */
u32 chain_cache__prefetch_slot(const struct chain_cache *cache, const struct chain_key *key);
void chain_cache__prefetch_entry(const struct chain_cache *cache, u32 slot);

/* NULL: not there. Valid until the next __add. */
const struct cached_chain *chain_cache__find(struct chain_cache *cache, const struct chain_key *key);

/* Add what was not found; callers are copied. NULL: too long to be kept. */
const struct cached_chain *chain_cache__add(struct chain_cache *cache, const struct chain_key *key,
					    const struct location *callers, u32 nr);

#endif
