/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The resolved frames of callers, by their words and the maps that they depend on. Most samples of a recording have callers that
 * occurred before. Bounded: when it is full it is emptied.
 */
#ifndef PERF_STACKS_CALLERS_H
#define PERF_STACKS_CALLERS_H

#include <stdbool.h>
#include "util/symbol/resolve.h"

struct callers_cache;

struct chain_key {
	u64 maps_version; /* machine__maps_version() */
	u32 max_stack;
	u8 cpumode;	  /* of the words before the first marker */
	const u64 *word;  /* nr words as sampled, including markers */
	u64 nr;
	u64 leaf;	  /* index of the word that is not part of the callers, 0 or 1; nr: there is none */
	u32 hash;	  /* chain_key__hash() */
};

struct cached_callers {
	u32 number; /* from 1 on; used for one key only */
	u32 nr;
	struct location *frame; /* nr; frame[-1] is scratch space */
};

struct callers_cache *callers_cache__new(void); /* NULL: no memory */
void callers_cache__delete(struct callers_cache *cache);

void chain_key__hash(struct chain_key *key); /* computed from the other members */

/* Before each chain: invalidates earlier results. */
void callers_cache__begin(struct callers_cache *cache);
/* NULL: not cached. */
struct cached_callers *callers_cache__find(const struct callers_cache *cache, const struct chain_key *key);
/* Add what was not found; copies the frames. NULL: currently no space. */
struct cached_callers *callers_cache__add(struct callers_cache *cache, const struct chain_key *key, const struct location *frame, u32 nr);

#endif
