// SPDX-License-Identifier: GPL-2.0
#include "util/lib/hash-index.h"

#include <errno.h>
#include <string.h>

#include "util/lib/pages.h"

#define FIRST_SLOTS 1024

static size_t size_of(const struct hash_index *index)
{
	return ((size_t)index->mask + 1) * sizeof(*index->slot);
}

static void put(struct hash_index *index, struct hash_slot slot)
{
	u32 i = slot.hash & index->mask;

	while (index->slot[i].place)
		i = (i + 1) & index->mask;
	index->slot[i] = slot;
}

/*
 * Move the slots of the first nr_old to their places in the larger table. Begin behind an empty one: then each slot before this one was
 * moved, and this one finds a place in front of it, in the new half, or stays. Slots that were placed behind the end of the old table and
 * so at its start come last.
 */
static void spread(struct hash_index *index, u64 nr_old)
{
	u64 first = 0;

	while (index->slot[first].place)
		first++;
	for (u64 i = 1; i < nr_old; i++) {
		struct hash_slot *at = &index->slot[(first + i) & (nr_old - 1)], slot = *at;

		if (!slot.place)
			continue;
		at->place = 0;
		put(index, slot);
	}
}

static int grow(struct hash_index *index)
{
	u64 nr_old = index->slot ? (u64)index->mask + 1 : 0, nr_new = nr_old ? 2 * nr_old : FIRST_SLOTS;
	struct hash_slot *slot;

	if (nr_new > UINT32_MAX)
		return -ENOMEM;
	slot = pages__grow(index->slot, nr_old * sizeof(*slot), nr_new * sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	pages__populate(slot, nr_new * sizeof(*slot), nr_old * sizeof(*slot));
	index->slot = slot;
	index->mask = nr_new - 1;
	if (nr_old)
		spread(index, nr_old);
	return 0;
}

int hash_index__add(struct hash_index *index, u32 hash, u32 place)
{
	/* a quarter stays empty, so that searches are short and end */
	if ((!index->slot || index->nr >= index->mask / 4 * 3) && grow(index))
		return -ENOMEM;
	put(index, (struct hash_slot){ .hash = hash, .place = place + 1 });
	index->nr++;
	return 0;
}

void hash_index__empty(struct hash_index *index)
{
	if (index->slot)
		memset(index->slot, 0, size_of(index));
	index->nr = 0;
}

void hash_index__exit(struct hash_index *index)
{
	pages__delete(index->slot, index->slot ? size_of(index) : 0);
	memset(index, 0, sizeof(*index));
}
