// SPDX-License-Identifier: GPL-2.0
#include "util/hist/entry-table.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hist/entry-cmp.h"

void entry_table__exit(struct entry_table *table)
{
	for (u32 i = 0; i < table->nr; i++) {
		free(table->entry[i]->others);
		free(table->entry[i]);
	}
	free(table->entry);
	hash_index__exit(&table->index);
	*table = (struct entry_table){};
}

static struct hist_entry *find(const struct entry_table *table, const struct hist_entry *key, u32 hash)
{
	const struct hash_slot *slot;
	u32 i = hash;

	while ((slot = hash_index__next(&table->index, hash, &i))) {
		if (!hist_entry__cmp_keys(table->entry[slot->place - 1], key))
			return table->entry[slot->place - 1];
	}
	return NULL;
}

struct hist_entry *entry_table__find(const struct entry_table *table, const struct hist_entry *key)
{
	return find(table, key, hist_entry__hash(key));
}

int entry_table__add(struct entry_table *table, struct hist_entry *entry)
{
	u32 alloc = table->alloc ? 2 * table->alloc : 64;
	struct hist_entry **more;

	if (table->nr == table->alloc) {
		more = alloc > table->nr ? reallocarray(table->entry, alloc, sizeof(*more)) : NULL;
		if (!more)
			return -ENOMEM;
		table->entry = more;
		table->alloc = alloc;
	}
	if (hash_index__add(&table->index, hist_entry__hash(entry), table->nr))
		return -ENOMEM;
	table->entry[table->nr++] = entry;
	return 0;
}

struct hist_entry **entry_table__take_all(struct entry_table *table, u32 *nr)
{
	struct hist_entry **all = table->entry;

	*nr = table->nr;
	hash_index__exit(&table->index);
	*table = (struct entry_table){};
	return all;
}

static int cmp(const void *a, const void *b)
{
	return hist_entry__cmp_keys(*(struct hist_entry *const *)a, *(struct hist_entry *const *)b);
}

int entry_table__sort(struct entry_table *table)
{
	int ret = 0;

	hash_index__exit(&table->index);
	table->index = (struct hash_index){};
	if (table->nr)
		qsort(table->entry, table->nr, sizeof(*table->entry), cmp);
	for (u32 i = 0; i < table->nr && !ret; i++)
		ret = hash_index__add(&table->index, hist_entry__hash(table->entry[i]), i);
	return ret;
}
