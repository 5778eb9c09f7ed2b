// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/chain-cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"
#include "util/lib/pages.h"

#define ARENA_SIZE (48 << 20) /* bytes of entries */
#define CACHE_LINE 64

struct callers_entry {
	struct cached_callers callers; /* first member: results point to it */
	u64 maps_version;
	u64 nr_words, leaf;
	u32 max_stack;
	u8 cpumode;
	u64 word[]; /* then the frames */
};

struct chain_entry {
	u64 leaf_word; /* of chains with a leaf */
	u32 kind;
	struct cached_chain chain;
};

/* Entries are consecutive, so emptying the cache is cheap. Unused parts of the arena take no memory. */
struct chain_cache {
	char *arena;
	size_t used;
	bool full; /* to be emptied when no result is in use */
	u32 last_callers; /* last number given out */
	struct hash_index callers, chains; /* places are offsets in units of 8 bytes */
};

struct chain_cache *chain_cache__new(void)
{
	struct chain_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->arena = pages__new(ARENA_SIZE);
	if (!cache->arena) {
		free(cache);
		return NULL;
	}
	return cache;
}

void chain_cache__delete(struct chain_cache *cache)
{
	if (!cache)
		return;
	hash_index__exit(&cache->callers);
	hash_index__exit(&cache->chains);
	pages__delete(cache->arena, ARENA_SIZE);
	free(cache);
}

u64 chain_note__new_owner(void)
{
	static u64 last;

	return ++last;
}

u64 chain_words__hash(const u64 *word, u64 nr, u64 leaf)
{
	u64 hash = nr;

	for (u64 i = 0; i < leaf; i++)
		hash = hash_mix(hash, word[i]);
	for (u64 i = leaf + 1; i < nr; i++)
		hash = hash_mix(hash, word[i]);
	return hash;
}

void chain_key__hash(struct chain_key *key)
{
	u64 hash = hash_mix(key->words_hash + key->cpumode, key->maps_version);

	key->callers_hash = hash;
	key->hash = hash_mix(hash + key->kind, key->leaf < key->nr ? key->word[key->leaf] : 0);
}

static bool is_same_callers(const struct callers_entry *e, const struct chain_key *key)
{
	if (e->maps_version != key->maps_version || e->nr_words != key->nr || e->leaf != key->leaf ||
	    e->max_stack != key->max_stack || e->cpumode != key->cpumode)
		return false;
	for (u64 i = 0; i < key->nr; i++) {
		if (e->word[i] != key->word[i] && i != key->leaf)
			return false;
	}
	return true;
}

static bool is_same(const struct chain_entry *e, const struct chain_key *key)
{
	return e->kind == key->kind && (key->leaf == key->nr || e->leaf_word == key->word[key->leaf]) &&
	       is_same_callers((const struct callers_entry *)e->chain.callers, key);
}

static void *entry_at(const struct chain_cache *cache, const struct hash_slot *slot)
{
	return cache->arena + (size_t)(slot->place - 1) * sizeof(u64);
}

static void prefetch(const void *from, size_t size)
{
	const char *line = (const char *)((uintptr_t)from / CACHE_LINE * CACHE_LINE);

	for (; line < (const char *)from + size; line += CACHE_LINE)
		__builtin_prefetch(line);
}

/* Most likely the key's entry: the first one with its hash. */
static const struct chain_entry *first_entry(const struct chain_cache *cache, const struct chain_key *key)
{
	u32 i = key->hash;
	const struct hash_slot *slot = hash_index__next(&cache->chains, key->hash, &i);

	return slot ? entry_at(cache, slot) : NULL;
}

/* From frame[-1] on. */
static void prefetch_entry(const struct cached_callers *callers, const struct chain_key *key)
{
	prefetch(callers, sizeof(struct callers_entry) + key->nr * sizeof(u64) + sizeof(struct location));
}

void chain_cache__prefetch_slot(const struct chain_cache *cache, const struct chain_key *key)
{
	hash_index__prefetch(&cache->chains, key->hash);
	hash_index__prefetch(&cache->callers, key->callers_hash);
}

void chain_cache__prefetch_callers(const struct chain_cache *cache, const struct chain_key *key)
{
	u32 i = key->callers_hash;
	const struct hash_slot *slot = hash_index__next(&cache->callers, key->callers_hash, &i);

	if (slot)
		prefetch_entry(entry_at(cache, slot), key);
}

/* A new chain most likely has known callers. */
bool chain_cache__prefetch_chain(const struct chain_cache *cache, const struct chain_key *key)
{
	const struct chain_entry *e = first_entry(cache, key);

	if (e)
		prefetch(e, sizeof(*e) + sizeof(e->chain.leaf[0]));
	else
		chain_cache__prefetch_callers(cache, key);
	return e;
}

bool chain_cache__prefetch_chains_callers(const struct chain_cache *cache, const struct chain_key *key)
{
	const struct chain_entry *e = first_entry(cache, key);

	if (!e)
		return false;
	prefetch_entry(e->chain.callers, key);
	__builtin_prefetch(e->chain.note.ahead);
	return true;
}

void chain_cache__begin(struct chain_cache *cache)
{
	if (!cache->full)
		return;
	cache->used = 0;
	cache->full = false;
	hash_index__empty(&cache->callers);
	hash_index__empty(&cache->chains);
}

struct cached_chain *chain_cache__find(struct chain_cache *cache, const struct chain_key *key)
{
	const struct hash_slot *slot;
	u32 i = key->hash;

	while ((slot = hash_index__next(&cache->chains, key->hash, &i))) {
		struct chain_entry *e = entry_at(cache, slot);

		if (is_same(e, key))
			return &e->chain;
	}
	return NULL;
}

struct cached_callers *chain_cache__find_callers(const struct chain_cache *cache, const struct chain_key *key)
{
	const struct hash_slot *slot;
	u32 i = key->callers_hash;

	while ((slot = hash_index__next(&cache->callers, key->callers_hash, &i))) {
		struct callers_entry *e = entry_at(cache, slot);

		if (is_same_callers(e, key))
			return &e->callers;
	}
	return NULL;
}

/* Allocate an entry, which gets the number after *last. */
static void *new_entry(struct chain_cache *cache, size_t size, struct hash_index *index, u32 hash)
{
	char *e = cache->arena + cache->used;

	if (size > ARENA_SIZE / 16) /* it would only evict the others */
		return NULL;
	if (size > ARENA_SIZE - cache->used || hash_index__add(index, hash, cache->used / sizeof(u64))) {
		cache->full = true;
		return NULL;
	}
	cache->used += size;
	return e;
}

struct cached_callers *chain_cache__add_callers(struct chain_cache *cache, const struct chain_key *key,
						const struct location *frame, u32 nr)
{
	size_t words = key->nr * sizeof(u64);
	struct callers_entry *e = NULL;

	if (cache->last_callers < UINT32_MAX)
		e = new_entry(cache, sizeof(*e) + words + ((size_t)nr + 1) * sizeof(*frame), &cache->callers, key->callers_hash);
	if (!e)
		return NULL;
	*e = (struct callers_entry){ .maps_version = key->maps_version, .nr_words = key->nr, .leaf = key->leaf,
				     .max_stack = key->max_stack, .cpumode = key->cpumode };
	e->callers.number = ++cache->last_callers;
	e->callers.nr = nr;
	e->callers.frame = (struct location *)((char *)e->word + words) + 1;
	if (key->nr)
		memcpy(e->word, key->word, words);
	if (nr)
		memcpy(e->callers.frame, frame, nr * sizeof(*frame));
	return &e->callers;
}

struct cached_chain *chain_cache__add(struct chain_cache *cache, const struct chain_key *key,
				      struct cached_callers *callers, const struct location *leaf, u32 nr_leaf)
{
	struct chain_entry *e = new_entry(cache, sizeof(*e) + nr_leaf * sizeof(*leaf), &cache->chains, key->hash);

	if (!e)
		return NULL;
	*e = (struct chain_entry){ .leaf_word = key->leaf < key->nr ? key->word[key->leaf] : 0, .kind = key->kind };
	e->chain.nr_leaf = nr_leaf;
	e->chain.callers = callers;
	if (nr_leaf)
		memcpy(e->chain.leaf, leaf, nr_leaf * sizeof(*leaf));
	return &e->chain;
}
