// SPDX-License-Identifier: GPL-2.0
/*
 * Sorts entries without looking at them: each gets a few words first, whose order is that of the entries wherever they differ. These are the
 * sum that decides most, then the ranks of its texts among those of all entries, and numbers, in as few bits as they need.
 */
#include "util/hist/entry-rank.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/entry-cmp.h"
#include "util/lib/array.h"

#define FEW 64 /* entries: ranking their texts would take longer than to compare them */
#define MANY_CALLERS 4 /* entries for each sample */
#define WORD 64 /* bits */

struct ranked {
	u64 sum;
	u64 high, low; /* one number; only its last bits are used */
	struct hist_entry *entry;
};

struct ranked_caller { /* among callers more decides */
	struct ranked ranked;
	u32 thread; /* equal for one thread, and perhaps for others */
	u32 chain_depth;
};

struct ranking {
	char *ranked; /* of that size */
	size_t size;
	u32 nr, bits; /* bits: that are used */
	u64 *value; /* one of each entry: what is appended next */
	struct rank_by by;
};

static struct ranked *at(const struct ranking *r, u32 i)
{
	return (struct ranked *)(r->ranked + i * r->size);
}

struct name { /* of entries, by address: several may be equal */
	const char *text; /* NULL: none */
	u32 number, rank;
};

struct names {
	struct hash_index index;
	struct name *name;
	u32 nr, alloc;
};

/* The number of the name at this address; UINT32_MAX: no memory */
static u32 names__number(struct names *names, const char *text)
{
	u32 hash = hash_mix(0, (uintptr_t)text), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&names->index, hash, &i))) {
		if (names->name[slot->place - 1].text == text)
			return slot->place - 1;
	}
	if (array__grow(names->name, names->nr, names->alloc))
		return UINT32_MAX;
	if (hash_index__add(&names->index, hash, names->nr))
		return UINT32_MAX;
	names->name[names->nr] = (struct name){ .text = text, .number = names->nr };
	return names->nr++;
}

static void names__exit(struct names *names)
{
	hash_index__exit(&names->index);
	free(names->name);
}

static int cmp_names(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;

	if (!a->text || !b->text)
		return !a->text - !b->text;
	return strcmp(a->text, b->text);
}

static int cmp_numbers(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;

	return (a->number > b->number) - (a->number < b->number);
}

/* Afterwards they are in the order of their numbers again. */
static void names__rank(struct names *names)
{
	u32 rank = 0;

	if (!names->nr)
		return;
	qsort(names->name, names->nr, sizeof(*names->name), cmp_names);
	for (u32 i = 0; i < names->nr; i++) {
		rank += i && cmp_names(&names->name[i - 1], &names->name[i]);
		names->name[i].rank = rank;
	}
	qsort(names->name, names->nr, sizeof(*names->name), cmp_numbers);
}

static int take_texts(struct ranking *r, const char *(*text_of)(const struct hist_entry *entry))
{
	struct names names = {};
	const char *text, *last = NULL;
	u32 number = UINT32_MAX;
	int ret = 0;

	for (u32 i = 0; i < r->nr && !ret; i++) {
		text = text_of(at(r, i)->entry);
		if (number == UINT32_MAX || text != last)
			number = names__number(&names, text);
		last = text;
		r->value[i] = number;
		ret = number == UINT32_MAX ? -ENOMEM : 0;
	}
	if (!ret)
		names__rank(&names);
	for (u32 i = 0; i < r->nr && !ret; i++)
		r->value[i] = names.name[r->value[i]].rank;
	names__exit(&names);
	return ret;
}

static void take_numbers(struct ranking *r, const struct hist_key *key)
{
	for (u32 i = 0; i < r->nr; i++)
		r->value[i] = (u64)key->number(at(r, i)->entry) + INT64_MIN;
}

/* The larger one comes first. */
static void take_periods(struct ranking *r)
{
	for (u32 i = 0; i < r->nr; i++)
		r->value[i] = ~at(r, i)->entry->self.period;
}

/* false: they do not fit behind those that were appended before. */
static bool append_values(struct ranking *r)
{
	u64 min = UINT64_MAX, max = 0;
	u32 bits;

	for (u32 i = 0; i < r->nr; i++) {
		min = r->value[i] < min ? r->value[i] : min;
		max = r->value[i] > max ? r->value[i] : max;
	}
	bits = min < max ? WORD - __builtin_clzll(max - min) : 0;
	if (r->bits + bits > 2 * WORD)
		return false;
	r->bits += bits;
	for (u32 i = 0; bits && i < r->nr; i++) {
		struct ranked *ranked = at(r, i);

		ranked->high = bits < WORD ? ranked->high << bits | ranked->low >> (WORD - bits) : ranked->low;
		ranked->low = (bits < WORD ? ranked->low << bits : 0) | (r->value[i] - min);
	}
	return true;
}

/* Of entries with the same texts those of unnamed code differ in their addresses, and functions of one dso mostly in their starts. */
static void take_addresses(struct ranking *r, bool by_dso)
{
	for (u32 i = 0; i < r->nr; i++) {
		const struct hist_entry *entry = at(r, i)->entry;

		r->value[i] = !entry->sym ? entry->addr + INT64_MIN : by_dso ? entry->sym->start : 0;
	}
}

/* Between entries with equal texts and numbers no more is left to compare than their code, if that is a key. */
static void append_code(struct ranking *r, const struct hists *hists)
{
	const struct hist_column_list *sort = &hists->opts.layout->sort;
	bool by_symbol = false, by_dso = false;

	for (u32 i = 0; i < sort->nr; i++) {
		if (sort->at[i].hidden || sort->at[i].key->kind == HIST_KEY_VALUE)
			return;
		by_symbol |= !strcmp(sort->at[i].key->name, "symbol");
		by_dso |= !strcmp(sort->at[i].key->name, "dso");
	}
	if (!by_symbol || hists->by_name)
		return;
	take_addresses(r, by_dso);
	append_values(r);
}

static int append_all(struct ranking *r, const struct hists *hists)
{
	const struct rank_step *step;
	int ret = 0;

	for (step = r->by.step; step < r->by.step + r->by.nr_steps; step++) {
		const struct hist_key *key = step->column->key;

		if (key->text)
			ret = take_texts(r, key->text);
		else if (key->number)
			take_numbers(r, key);
		else if (key->kind == HIST_KEY_SUM && !strcmp(key->name, "overhead") && !hists->nr_group)
			take_periods(r);
		else
			return 0;
		if (ret || !append_values(r))
			return ret;
	}
	append_code(r, hists);
	return 0;
}

static int cmp_ranked(const void *pa, const void *pb, void *by)
{
	const struct ranked *a = pa, *b = pb;

	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return hist_entry__cmp_rest(a->entry, b->entry, by);
}

static void init_entries(struct ranking *r, const struct hists *hists)
{
	for (u32 i = 0; i < r->nr; i++)
		*at(r, i) = (struct ranked){ .sum = rank_by__sum(&r->by, hists->all.entry[i]), .entry = hists->all.entry[i] };
}

static void ranking__exit(struct ranking *r)
{
	free(r->ranked);
	free(r->value);
}

/* 0 or -ENOMEM */
static int ranking__init(struct ranking *r, const struct hists *hists, size_t size)
{
	*r = (struct ranking){ .size = size, .nr = hists->all.nr };
	r->ranked = malloc(r->nr * size + 1);
	r->value = malloc(r->nr * sizeof(*r->value) + 1);
	hists__set_rank_by(hists, &r->by);
	if (!r->ranked || !r->value)
		return -ENOMEM;
	init_entries(r, hists);
	return 0;
}

int hists__sort_by_rank(struct hists *hists)
{
	struct ranking r;
	int ret = ranking__init(&r, hists, sizeof(struct ranked));

	if (!ret && r.nr > FEW)
		ret = append_all(&r, hists);
	if (!ret)
		qsort_r(r.ranked, r.nr, r.size, cmp_ranked, &r.by);
	for (u32 i = 0; i < r.nr && !ret; i++)
		hists->entry[i] = at(&r, i)->entry;
	ranking__exit(&r);
	hists->nr_entries = ret ? 0 : r.nr;
	return ret;
}

static const char *dso_of_function(const struct hist_entry *entry)
{
	return entry->sym && entry->dso ? entry->dso->short_name : NULL;
}

/* As their identity: unnamed code by its address, functions by dso and start. */
static int append_symbols(struct ranking *r)
{
	int ret;

	for (u32 i = 0; i < r->nr; i++)
		r->value[i] = !at(r, i)->entry->sym;
	if (!append_values(r))
		return 0;
	ret = take_texts(r, dso_of_function);
	if (ret || !append_values(r))
		return ret;
	take_addresses(r, true);
	append_values(r);
	return 0;
}

/* The order of hist_entry__cmp_keys() */
static int append_keys(struct ranking *r, const struct hists *hists)
{
	const struct hist_column_list *keys = &hists->opts.layout->sort;
	int ret = 0;

	for (u32 i = 0; i < keys->nr && !ret; i++) {
		const struct hist_key *key = keys->at[i].key;

		if (key->kind == HIST_KEY_SUM)
			continue;
		if (key->kind == HIST_KEY_VALUE)
			return 0;
		if (!strcmp(key->name, "symbol") && !hists->by_name)
			return append_symbols(r);
		if (key->text)
			ret = take_texts(r, key->text);
		else
			take_numbers(r, key);
		if (ret || !append_values(r))
			return ret;
	}
	return ret;
}

static int cmp_keys(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return hist_entry__cmp_keys(a->entry, b->entry);
}

/* Put the entries into the order of their keys, then give them words for that of the output. */
static int rank_callers(struct ranking *r, struct hists *hists)
{
	int ret = append_keys(r, hists);

	if (ret)
		return ret;
	qsort(r->ranked, r->nr, r->size, cmp_keys);
	r->bits = 0;
	for (u32 i = 0; i < r->nr; i++) {
		struct ranked_caller *caller = (struct ranked_caller *)at(r, i);

		caller->ranked.high = caller->ranked.low = 0;
		caller->thread = (uintptr_t)caller->ranked.entry->thread / sizeof(u64);
		caller->chain_depth = caller->ranked.entry->chain_depth;
	}
	return r->by.total ? append_all(r, hists) : 0;
}

static int cmp_callers(const void *pa, const void *pb)
{
	const struct ranked_caller *a = pa, *b = pb;

	if (a->ranked.sum != b->ranked.sum)
		return a->ranked.sum > b->ranked.sum ? -1 : 1;
	if (a->thread == b->thread && a->chain_depth != b->chain_depth)
		return hist_entry__cmp_output(a->ranked.entry, b->ranked.entry);
	if (a->ranked.high != b->ranked.high)
		return a->ranked.high < b->ranked.high ? -1 : 1;
	if (a->ranked.low != b->ranked.low)
		return a->ranked.low < b->ranked.low ? -1 : 1;
	return hist_entry__cmp_output(a->ranked.entry, b->ranked.entry);
}

static void collect_ranked(const void *node, VISIT visit, void *data)
{
	const struct ranked *ranked = *(const struct ranked *const *)node;
	struct hists *hists = data;

	if (visit == postorder || visit == leaf)
		hists->entry[hists->nr_entries++] = ranked->entry;
}

static void collect_entry(const void *node, VISIT visit, void *data)
{
	struct hists *hists = data;

	if (visit == postorder || visit == leaf)
		hists->entry[hists->nr_entries++] = *(struct hist_entry *const *)node;
}

static void keep_entry(void *entry)
{
}

/* Without memory for ranks */
static int sort_by_comparing(struct hists *hists)
{
	void *tree = NULL;
	int ret = 0;

	entry_table__sort(&hists->all);
	for (u32 i = 0; i < hists->all.nr && !ret; i++)
		ret = tsearch(hists->all.entry[i], &tree, hist_entry__cmp_output) ? 0 : -ENOMEM;
	if (!ret)
		twalk_r(tree, collect_entry, hists);
	tdestroy(tree, keep_entry);
	return ret;
}

/*
 * With chains of children, the order of equal entries depends on whether they belong to one thread (see entry-cmp.c), so it is not
 * transitive and unfit for qsort(). A search tree copes with any order, and filled in the order of the keys it gives the same result as
 * perf's. A small file whose callers are all different must not take many times its size.
 */
int hists__sort_callers(struct hists *hists)
{
	struct ranking r;
	void *tree = NULL;
	int ret;

	if (hists->all.nr / MANY_CALLERS > hists->nr_samples)
		return sort_by_comparing(hists);
	ret = ranking__init(&r, hists, sizeof(struct ranked_caller)) ?: rank_callers(&r, hists);
	for (u32 i = 0; i < r.nr && !ret; i++)
		ret = tsearch(at(&r, i), &tree, cmp_callers) ? 0 : -ENOMEM;
	if (!ret)
		twalk_r(tree, collect_ranked, hists);
	tdestroy(tree, keep_entry);
	ranking__exit(&r);
	return ret;
}
