// SPDX-License-Identifier: GPL-2.0
#include "util/hist/entry-table.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hist/entry-cmp.h"
#include "util/lib/array.h"

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

#define FEW 8 /* entries: these are found one by one, since a recording may have thousands of tables */

static struct hist_entry *find_one_by_one(const struct entry_table *table, const struct hist_entry *key)
{
	for (u32 i = 0; i < table->nr; i++) {
		if (!hist_entry__cmp_keys(table->entry[i], key))
			return table->entry[i];
	}
	return NULL;
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

/* Index the entries from this one on. */
static int index_from(struct entry_table *table, u32 first)
{
	int ret = 0;

	for (u32 i = first; i < table->nr && !ret; i++)
		ret = hash_index__add(&table->index, hist_entry__hash(table->entry[i]), i);
	return ret;
}

/* After a sort, and when the table is not small any more */
static bool is_indexed(struct entry_table *table)
{
	if (table->index.nr == table->nr)
		return true;
	hash_index__exit(&table->index);
	table->index = (struct hash_index){};
	return !index_from(table, 0);
}

/* Without memory for an index it is only slower. */
struct hist_entry *entry_table__find(struct entry_table *table, const struct hist_entry *key)
{
	return table->nr > FEW && is_indexed(table) ? find(table, key, hist_entry__hash(key)) : find_one_by_one(table, key);
}

int entry_table__add(struct entry_table *table, struct hist_entry *entry)
{
	if (array__extend(table->entry, table->nr))
		return -ENOMEM;
	if (table->nr && table->index.nr == table->nr && hash_index__add(&table->index, hist_entry__hash(entry), table->nr))
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

void entry_table__sort(struct entry_table *table)
{
	hash_index__exit(&table->index);
	table->index = (struct hash_index){};
	if (table->nr)
		qsort(table->entry, table->nr, sizeof(*table->entry), cmp);
}
