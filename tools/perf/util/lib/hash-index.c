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

static int grow(struct hash_index *index)
{
	u64 nr_old = index->slot ? (u64)index->mask + 1 : 0, nr_new = nr_old ? 2 * nr_old : FIRST_SLOTS;
	struct hash_index bigger = { .nr = index->nr, .mask = nr_new - 1 };

	if (nr_new > UINT32_MAX)
		return -ENOMEM;
	bigger.slot = pages__new(nr_new * sizeof(*bigger.slot));
	if (!bigger.slot)
		return -ENOMEM;
	for (u64 i = 0; i < nr_old; i++) {
		if (index->slot[i].place)
			put(&bigger, index->slot[i]);
	}
	pages__delete(index->slot, nr_old * sizeof(*index->slot));
	*index = bigger;
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
