/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callchains as they were resolved. Most samples of a recording have a chain that was seen before; of the others most have callers
 * that were, and only the address that was interrupted is another one. Bounded: when it is full it is emptied.
 */
#ifndef PERF_CALLCHAIN_CHAIN_CACHE_H
#define PERF_CALLCHAIN_CHAIN_CACHE_H

#include <stdbool.h>
#include "util/symbol/resolve.h"

struct chain_cache;

struct chain_key {
	u64 maps_version; /* machine__maps_version() */
	u32 max_stack;
	u32 kind;	  /* chains of different kinds, such as of different events, are kept apart */
	u8 cpumode;	  /* of what stands before the first marker */
	const u64 *word;  /* nr words as sampled, markers and all */
	u64 nr;
	u64 leaf;	  /* index of the word that callers do without; nr: there is none */
	u64 words_hash;	  /* chain_words__hash() */
	u32 callers_hash, hash; /* chain_key__hash() */
};

struct chain_note { /* starts zeroed; for who uses the chain, and gone when the cache was emptied */
	u64 owner; /* who wrote it: what another one wrote is to be written over */
	u64 value;
	const void *ahead; /* is fetched from memory before the chain comes again; may be wrong or NULL: nothing reads it */
};

u64 chain_note__new_owner(void); /* not 0, and nobody else's */

struct cached_callers {
	u32 number; /* from 1 on; used for one key only, whatever its kind */
	u32 nr;
	struct location *frame; /* nr; frame[-1] is for anybody to write */
	struct chain_note note;
};

struct cached_chain {
	struct chain_note note;
	struct cached_callers *callers;
	u32 nr_leaf;
	struct location leaf[]; /* nr_leaf: more than one if functions were inlined there */
};

struct chain_cache *chain_cache__new(void); /* NULL: no memory */
void chain_cache__delete(struct chain_cache *cache);

/* Of the callers' words; leaf as in the key. */
u64 chain_words__hash(const u64 *word, u64 nr, u64 leaf);
void chain_key__hash(struct chain_key *key); /* from the other members */

/*
 * Start to fetch from memory what __find will look at: its slot, later what that leads to, and later still what that leads to.
 * false: the chain is not there; then it is what __find_callers will look at.
 */
void chain_cache__prefetch_slot(const struct chain_cache *cache, const struct chain_key *key);
bool chain_cache__prefetch_chain(const struct chain_cache *cache, const struct chain_key *key);
bool chain_cache__prefetch_chains_callers(const struct chain_cache *cache, const struct chain_key *key);
/* The same for __find_callers alone, after __prefetch_slot. */
void chain_cache__prefetch_callers(const struct chain_cache *cache, const struct chain_key *key);

/* Before each chain: what was found until now is valid no longer. */
void chain_cache__begin(struct chain_cache *cache);
/* NULL: not there. */
struct cached_chain *chain_cache__find(struct chain_cache *cache, const struct chain_key *key);
/* Whether at least the callers are there. */
struct cached_callers *chain_cache__find_callers(const struct chain_cache *cache, const struct chain_key *key);

/* Add what was not found; frames are copied. NULL: there is no room for it at present. */
struct cached_callers *chain_cache__add_callers(struct chain_cache *cache, const struct chain_key *key,
						const struct location *frame, u32 nr);
struct cached_chain *chain_cache__add(struct chain_cache *cache, const struct chain_key *key,
				      struct cached_callers *callers, const struct location *leaf, u32 nr_leaf);

#endif
