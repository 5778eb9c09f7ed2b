// SPDX-License-Identifier: GPL-2.0
#include "util/stacks/callers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"
#include "util/lib/pages.h"

#define ARENA_SIZE (48 << 20) /* bytes of entries */

struct callers_entry {
	struct cached_callers callers; /* first member: results point to it */
	u64 maps_version;
	u64 nr_words, leaf;
	u32 max_stack;
	u8 cpumode;
	u64 word[]; /* then the frames */
};

/* Entries are consecutive, so emptying the cache is cheap. Unused parts of the arena take no memory. */
struct callers_cache {
	char *arena;
	size_t used;
	bool full; /* to be emptied when no result is in use */
	u32 last_callers; /* last number given out */
	struct hash_index callers; /* places are offsets in units of 8 bytes */
};

struct callers_cache *callers_cache__new(void)
{
	struct callers_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->arena = pages__new(ARENA_SIZE);
	if (!cache->arena) {
		free(cache);
		return NULL;
	}
	return cache;
}

void callers_cache__delete(struct callers_cache *cache)
{
	if (!cache)
		return;
	hash_index__exit(&cache->callers);
	pages__delete(cache->arena, ARENA_SIZE);
	free(cache);
}

/* Two words at a time, so that they need not wait for each other. */
static u64 hash_words(const struct chain_key *key)
{
	u64 a = key->nr, b = key->cpumode, i = 0;

	if (key->leaf < key->nr) {
		b = hash_mix(b, key->leaf ? key->word[0] : 0);
		i = key->leaf + 1;
	}
	for (; i + 1 < key->nr; i += 2) {
		a = hash_mix(a, key->word[i]);
		b = hash_mix(b, key->word[i + 1]);
	}
	return hash_mix(a, i < key->nr ? hash_mix(b, key->word[i]) : b);
}

void chain_key__hash(struct chain_key *key)
{
	key->hash = hash_mix(hash_words(key), key->maps_version);
}

static bool is_same(const struct callers_entry *e, const struct chain_key *key)
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

static void *entry_at(const struct callers_cache *cache, const struct hash_slot *slot)
{
	return cache->arena + (size_t)(slot->place - 1) * sizeof(u64);
}

void callers_cache__begin(struct callers_cache *cache)
{
	if (!cache->full)
		return;
	cache->used = 0;
	cache->full = false;
	hash_index__empty(&cache->callers);
}

struct cached_callers *callers_cache__find(const struct callers_cache *cache, const struct chain_key *key)
{
	const struct hash_slot *slot;
	u32 i = key->hash;

	while ((slot = hash_index__next(&cache->callers, key->hash, &i))) {
		struct callers_entry *e = entry_at(cache, slot);

		if (is_same(e, key))
			return &e->callers;
	}
	return NULL;
}

/* Allocate an entry, which gets the number after *last. */
static void *new_entry(struct callers_cache *cache, size_t size, struct hash_index *index, u32 hash)
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

struct cached_callers *callers_cache__add(struct callers_cache *cache, const struct chain_key *key, const struct location *frame, u32 nr)
{
	size_t words = key->nr * sizeof(u64);
	struct callers_entry *e = NULL;

	if (cache->last_callers < UINT32_MAX)
		e = new_entry(cache, sizeof(*e) + words + ((size_t)nr + 1) * sizeof(*frame), &cache->callers, key->hash);
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
