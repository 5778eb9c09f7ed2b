// SPDX-License-Identifier: GPL-2.0
/*
 * Two orders of entries. Identity (addresses of symbols) decides which samples share an entry. The output is sorted by what the user
 * sees (names), then by the order of the keys, so that it is repeatable.
 */
#include "util/hist/entry-cmp.h"

#include <string.h>

#include "util/lib/hash-index.h"

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

/* Sorted by name, entries without one come last. */
static int cmp_text(const char *a, const char *b, bool by_text)
{
	if (a == b)
		return 0;
	if (by_text && (!a || !b))
		return a ? -1 : 1;
	return strcmp(a ?: "", b ?: "");
}

static int cmp_value(const struct hist_column *column, const struct hist_entry *a, const struct hist_entry *b, bool by_text)
{
	const struct hist_value *l = &a->value[column->slot], *r = &b->value[column->slot];
	int ret = CMP((s64)l->number, (s64)r->number);

	if (column->key->flags & HIST_KEY_NAMED_FIRST && !l->text != !r->text)
		return l->text ? -1 : 1;
	if (!ret || by_text)
		ret = cmp_text(l->text, r->text, by_text);
	return column->key->flags & HIST_KEY_DESCENDING && !by_text ? -ret : ret;
}

static int cmp_identity(const struct hist_column *column, const struct hist_entry *a, const struct hist_entry *b)
{
	if (column->key->kind == HIST_KEY_VALUE)
		return cmp_value(column, a, b, false);
	return column->key->identity ? column->key->identity(a, b) : 0;
}

static int cmp_order(const struct hist_column *column, const struct hist_entry *a, const struct hist_entry *b)
{
	if (column->key->compare)
		return column->key->compare(column, a, b);
	if (column->key->flags & HIST_KEY_BY_TEXT)
		return cmp_value(column, a, b, true);
	if (column->key->flags & HIST_KEY_TEXT_DOWN)
		return cmp_value(column, b, a, true) ?: cmp_value(column, a, b, false);
	return column->key->order ? column->key->order(a, b) : cmp_identity(column, a, b);
}

int hist_entry__cmp_keys(const void *pa, const void *pb)
{
	const struct hist_entry *a = pa, *b = pb;
	const struct hist_column_list *keys = &a->hists->opts.layout->sort;
	int ret = 0;

	for (u32 i = 0; i < keys->nr && !ret; i++)
		ret = cmp_identity(&keys->at[i], a, b);
	return ret;
}

u32 hist_entry__hash(const struct hist_entry *entry)
{
	const struct hist_column_list *keys = &entry->hists->opts.layout->sort;
	u64 hash = 0;

	for (u32 i = 0; i < keys->nr; i++) {
		const struct hist_key *key = keys->at[i].key;
		const struct hist_value *value = &entry->value[keys->at[i].slot];

		if (key->kind == HIST_KEY_OWN)
			hash = hash_mix(hash, key->number ? (u64)key->number(entry) : key->hash(entry));
		else if (key->kind == HIST_KEY_VALUE)
			hash = hash_mix(hash_mix(hash, value->number), hash_text(value->text ?: ""));
	}
	return hash;
}

int hist_entry__cmp_level(const struct hist_entry *a, const struct hist_entry *b, u8 level)
{
	const struct hist_column_list *keys = &a->hists->opts.layout->sort;
	int ret = 0;

	for (u32 i = 0; i < keys->nr && !ret; i++) {
		if (keys->at[i].level == level)
			ret = cmp_identity(&keys->at[i], a, b);
	}
	return ret;
}

int hist_entry__cmp_output(const void *pa, const void *pb)
{
	const struct hist_entry *a = pa, *b = pb;
	const struct hist_column_list *sort = &a->hists->opts.layout->sort;
	int ret = 0;

	for (u32 i = 0; i < sort->nr && !ret; i++)
		ret = sort->at[i].hidden ? 0 : cmp_order(&sort->at[i], a, b);
	return ret ?: hist_entry__cmp_keys(a, b);
}

/* The column that rows are sorted by first, if it is a sum of one member; NULL: it is anything else. */
static const struct hist_column *first_sum(const struct hists *hists)
{
	const struct hist_column_list *sort = &hists->opts.layout->sort;
	u32 i = 0;

	while (i < sort->nr && sort->at[i].hidden)
		i++;
	return i < sort->nr && sort->at[i].key->kind == HIST_KEY_SUM && !hists->nr_group ? &sort->at[i] : NULL;
}

/* What cmp_order() calls for a column that compares members of entries; NULL: it looks at the column. */
static struct rank_step step_of(const struct hist_column *column)
{
	const struct hist_key *key = column->key;
	bool by_column = key->compare || key->flags & (HIST_KEY_BY_TEXT | HIST_KEY_TEXT_DOWN) || (!key->order && key->kind == HIST_KEY_VALUE);

	return (struct rank_step){ by_column ? NULL : key->order ?: key->identity, column };
}

void hists__set_rank_by(const struct hists *hists, struct rank_by *by)
{
	const struct hist_column_list *sort = &hists->opts.layout->sort;
	const struct hist_column *column = first_sum(hists);
	const char *name = column ? column->key->name : "";

	*by = (struct rank_by){ .self = !strcmp(name, "overhead") || !strcmp(name, "period"),
				.total = !strcmp(name, "overhead_children") && hists->opts.children };
	for (u32 i = by->self || by->total ? column - sort->at + 1 : 0; i < sort->nr; i++) {
		if (!sort->at[i].hidden)
			by->step[by->nr_steps++] = step_of(&sort->at[i]);
	}
}

int hist_entry__cmp_rest(const struct hist_entry *a, const struct hist_entry *b, const struct rank_by *by)
{
	int ret = 0;

	for (const struct rank_step *step = by->step; step < by->step + by->nr_steps && !ret; step++)
		ret = step->cmp ? step->cmp(a, b) : cmp_order(step->column, a, b);
	return ret ?: hist_entry__cmp_keys(a, b);
}
