/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash index of the elements of an array: returns the indices of elements that may have a hash. Open addressing; the caller owns
 * the array. Starts zeroed.
 */
#ifndef PERF_LIB_HASH_INDEX_H
#define PERF_LIB_HASH_INDEX_H

#include <stdlib.h>
#include <string.h>
#include "util/lib/types.h"

struct hash_slot {
	u32 hash;
	u32 place; /* index in the array, plus 1; 0: empty */
};

struct hash_index {
	struct hash_slot *slot;
	u32 nr, mask; /* number of slots: mask + 1 */
};

static inline u64 hash_mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

static inline u32 hash_text(const char *text)
{
	size_t len = strlen(text);
	u64 hash = len, word = 0;

	for (; len > sizeof(word); len -= sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = hash_mix(hash, word);
	}
	word = 0;
	memcpy(&word, text, len);
	return hash_mix(hash, word);
}

/* The slots of elements with that hash, one after the other: for (i = hash; (slot = hash_index__next(index, hash, &i)); ) */
static inline const struct hash_slot *hash_index__next(const struct hash_index *index, u32 hash, u32 *i)
{
	if (!index->slot)
		return NULL;
	for (;;) {
		const struct hash_slot *slot = &index->slot[(*i)++ & index->mask];

		if (!slot->place)
			return NULL;
		if (slot->hash == hash)
			return slot;
	}
}

static inline void hash_index__prefetch(const struct hash_index *index, u32 hash)
{
	if (index->slot)
		__builtin_prefetch(&index->slot[hash & index->mask]);
}

/* 0 or -ENOMEM */
int hash_index__add(struct hash_index *index, u32 hash, u32 place);
void hash_index__empty(struct hash_index *index);
void hash_index__exit(struct hash_index *index);

#endif
