/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache of resolved callchains. Most samples of a recording have a chain that occurred before; most of the others have known
 * callers, and only another interrupted address. Bounded: when it is full it is emptied.
 */
#ifndef PERF_CALLCHAIN_CHAIN_CACHE_H
#define PERF_CALLCHAIN_CHAIN_CACHE_H

#include <stdbool.h>
#include "util/symbol/resolve.h"

struct chain_cache;

struct chain_key {
	u64 maps_version; /* machine__maps_version() */
	u32 max_stack;
	u32 kind;	  /* chains of different kinds, such as of different events, are separate */
	u8 cpumode;	  /* of the words before the first marker */
	const u64 *word;  /* nr words as sampled, including markers */
	u64 nr;
	u64 leaf;	  /* index of the word that is not part of the callers; nr: there is none */
	u64 words_hash;	  /* chain_words__hash() */
	u32 callers_hash, hash; /* chain_key__hash() */
};

struct chain_note { /* starts zeroed; for the user of the chain; lost when the cache is emptied */
	u64 owner; /* its writer: overwrite what another one wrote */
	u64 value;
	const void *ahead; /* prefetched before the chain comes again; may be wrong or NULL: it is never read */
};

u64 chain_note__new_owner(void); /* not 0, unique */

struct cached_callers {
	u32 number; /* from 1 on; used for one key only, of any kind */
	u32 nr;
	struct location *frame; /* nr; frame[-1] is scratch space */
	struct chain_note note;
};

struct cached_chain {
	struct chain_note note;
	struct cached_callers *callers;
	u32 nr_leaf;
	struct location leaf[]; /* nr_leaf: more than one if functions are inlined there */
};

struct chain_cache *chain_cache__new(void); /* NULL: no memory */
void chain_cache__delete(struct chain_cache *cache);

/* Of the callers' words; leaf: as in the key. */
u64 chain_words__hash(const u64 *word, u64 nr, u64 leaf);
void chain_key__hash(struct chain_key *key); /* computed from the other members */

/*
 * Prefetch what __find will read: its slot, later the entry, and later still what the entry points to. false: the chain is not
 * cached; then prefetch for __find_callers.
 */
void chain_cache__prefetch_slot(const struct chain_cache *cache, const struct chain_key *key);
bool chain_cache__prefetch_chain(const struct chain_cache *cache, const struct chain_key *key);
bool chain_cache__prefetch_chains_callers(const struct chain_cache *cache, const struct chain_key *key);
/* The same for __find_callers only, after __prefetch_slot. */
void chain_cache__prefetch_callers(const struct chain_cache *cache, const struct chain_key *key);

/* Before each chain: invalidates earlier results. */
void chain_cache__begin(struct chain_cache *cache);
/* NULL: not cached. */
struct cached_chain *chain_cache__find(struct chain_cache *cache, const struct chain_key *key);
/* Find at least the callers. */
struct cached_callers *chain_cache__find_callers(const struct chain_cache *cache, const struct chain_key *key);

/* Add what was not found; copies the frames. NULL: currently no space. */
struct cached_callers *chain_cache__add_callers(struct chain_cache *cache, const struct chain_key *key,
						const struct location *frame, u32 nr);
struct cached_chain *chain_cache__add(struct chain_cache *cache, const struct chain_key *key,
				      struct cached_callers *callers, const struct location *leaf, u32 nr_leaf);

#endif
