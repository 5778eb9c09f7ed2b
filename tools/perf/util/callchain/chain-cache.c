// SPDX-License-Identifier: GPL-2.0
#include "util/callchain/chain-cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_SIZE (64 << 20)	/* bytes of entries */
#define TABLE_SIZE (1 << 18)	/* slots */
#define MAX_ENTRIES (TABLE_SIZE / 2)

struct entry {
	u64 maps_version;
	u64 nr_words, leaf;
	u32 max_stack, hash;
	u8 cpumode;
	struct cached_chain chain;
	u64 word[]; /* then the frames */
};

/* Entries lie one behind the other, so that emptying the cache is one assignment. What is not used of it costs no memory. */
struct chain_cache {
	char *arena;
	size_t used;
	u32 nr, last_number;
	u32 slot[TABLE_SIZE]; /* offset of the entry in units of 8 bytes, plus 1; open addressing */
};

struct chain_cache *chain_cache__new(void)
{
	struct chain_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->arena = malloc(ARENA_SIZE);
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
	free(cache->arena);
	free(cache);
}

static u64 mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static u32 hash_key(const struct chain_key *key)
{
	u64 hash = mix(key->maps_version, key->nr << 8 | key->cpumode);

	for (u64 i = 0; i < key->leaf; i++)
		hash = mix(hash, key->word[i]);
	for (u64 i = key->leaf + 1; i < key->nr; i++)
		hash = mix(hash, key->word[i]);
	return hash >> 32;
}

static bool is_same(const struct entry *e, const struct chain_key *key, u32 hash)
{
	if (e->hash != hash || e->maps_version != key->maps_version || e->nr_words != key->nr || e->leaf != key->leaf ||
	    e->max_stack != key->max_stack || e->cpumode != key->cpumode)
		return false;
	for (u64 i = 0; i < key->nr; i++) {
		if (e->word[i] != key->word[i] && i != key->leaf)
			return false;
	}
	return true;
}

/* The entry, or NULL and in *at the slot where it would go. */
static struct entry *find(struct chain_cache *cache, const struct chain_key *key, u32 hash, u32 *at)
{
	for (u32 i = hash % TABLE_SIZE; ; i = (i + 1) % TABLE_SIZE) {
		struct entry *e;

		*at = i;
		if (!cache->slot[i])
			return NULL;
		e = (struct entry *)(cache->arena + (size_t)(cache->slot[i] - 1) * sizeof(u64));
		if (is_same(e, key, hash))
			return e;
	}
}

u32 chain_cache__prefetch_slot(const struct chain_cache *cache, const struct chain_key *key)
{
	u32 slot = hash_key(key) % TABLE_SIZE;

	__builtin_prefetch(&cache->slot[slot]);
	return slot;
}

void chain_cache__prefetch_entry(const struct chain_cache *cache, u32 slot)
{
	const char *e = cache->arena + (size_t)(cache->slot[slot] - 1) * sizeof(u64);

	if (!cache->slot[slot])
		return;
	__builtin_prefetch(e);
	__builtin_prefetch(e + 64);
	__builtin_prefetch(e + 128);
}

const struct cached_chain *chain_cache__find(struct chain_cache *cache, const struct chain_key *key)
{
	struct entry *e;
	u32 at;

	e = find(cache, key, hash_key(key), &at);
	return e ? &e->chain : NULL;
}

static void empty(struct chain_cache *cache)
{
	cache->used = cache->nr = 0;
	memset(cache->slot, 0, sizeof(cache->slot));
}

static struct entry *new_entry(struct chain_cache *cache, const struct chain_key *key, u32 nr)
{
	size_t words = key->nr * sizeof(u64), size = sizeof(struct entry) + words + ((size_t)nr + 1) * sizeof(struct location);
	struct entry *e;

	if (size > ARENA_SIZE / 16) /* such a chain would only drive out the others */
		return NULL;
	if (cache->used + size > ARENA_SIZE || cache->nr == MAX_ENTRIES)
		empty(cache);
	e = (struct entry *)(cache->arena + cache->used);
	*e = (struct entry){ .maps_version = key->maps_version, .nr_words = key->nr, .leaf = key->leaf,
			     .max_stack = key->max_stack, .cpumode = key->cpumode };
	e->chain.nr = nr;
	e->chain.callers = (struct location *)((char *)e->word + words) + 1;
	cache->used += size;
	return e;
}

const struct cached_chain *chain_cache__add(struct chain_cache *cache, const struct chain_key *key,
					    const struct location *callers, u32 nr)
{
	struct entry *e = new_entry(cache, key, nr);
	u32 at;

	if (!e)
		return NULL;
	e->hash = hash_key(key);
	e->chain.number = cache->last_number == UINT32_MAX ? 0 : ++cache->last_number;
	if (key->nr)
		memcpy(e->word, key->word, key->nr * sizeof(u64));
	if (nr)
		memcpy(e->chain.callers, callers, nr * sizeof(*callers));
	find(cache, key, e->hash, &at);
	cache->slot[at] = ((char *)e - cache->arena) / sizeof(u64) + 1;
	cache->nr++;
	return &e->chain;
}
