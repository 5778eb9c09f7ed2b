// SPDX-License-Identifier: GPL-2.0
#include "util/hist/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/hist/group.h"
#include "util/lib/text.h"

#define FORMULA_WIDTH 70

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

/* NULL: the file lacks the entry. */
static const struct hist_entry *in_file(const struct hist_entry *entry, u32 file)
{
	const struct hist_entry *member = hist_entry__member(entry, file);

	return member == entry->hists->group[file]->none ? NULL : member;
}

/* Was the entry made for another file? */
static bool is_new(const struct hist_entry *base)
{
	return base->made_by;
}

static double delta(const struct hist_entry *base, const struct hist_entry *entry)
{
	u64 total = base->hists->total_period + base->hists->left_out_period;

	return hist_entry__percent(entry, entry->self.period) - (total ? base->self.period * 100.0 / total : 0.0);
}

static double ratio(const struct hist_entry *base, const struct hist_entry *entry)
{
	return (double)entry->self.period / (double)(base->self.period ?: 1);
}

static s64 wdiff(const struct hist_entry *base, const struct hist_entry *entry)
{
	const struct hist_comparison *c = base->hists->opts.comparison;

	return (s64)(entry->self.period * (u64)c->file_weight - base->self.period * (u64)c->base_weight);
}

static int cmp_computed(const struct hist_entry *a, const struct hist_entry *in_a, const struct hist_entry *b, const struct hist_entry *in_b)
{
	switch (a->hists->opts.comparison->compute) {
	case HIST_COMPUTE_DELTA_ABS:
		return CMP(fabs(delta(b, in_b)), fabs(delta(a, in_a)));
	case HIST_COMPUTE_DELTA:
		return CMP(delta(b, in_b), delta(a, in_a));
	case HIST_COMPUTE_RATIO:
		return CMP(ratio(b, in_b), ratio(a, in_a));
	case HIST_COMPUTE_WDIFF:
		return CMP(wdiff(b, in_b), wdiff(a, in_a));
	}
	return 0;
}

static bool needs_baseline(const struct hist_comparison *c)
{
	return c->compute == HIST_COMPUTE_RATIO || c->compute == HIST_COMPUTE_WDIFF;
}

/* What the file lacks comes last; before that what has nothing to be computed from. */
static int compare_order(const struct hist_column *column, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct hist_entry *in_a = in_file(a, column->file), *in_b = in_file(b, column->file);

	if (!in_a || !in_b)
		return !in_a - !in_b;
	if (needs_baseline(a->hists->opts.comparison) && (is_new(a) || is_new(b)))
		return is_new(a) - is_new(b);
	return cmp_computed(a, in_a, b, in_b);
}

/* Entries that are in the baseline only come last, and only then those that are not in this file. */
static int compare_column(const struct hist_column *column, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct hist_entry *in_a = in_file(a, column->file), *in_b = in_file(b, column->file);

	if (!a->others || !b->others)
		return !a->others - !b->others;
	if (!in_a || !in_b)
		return !in_a - !in_b;
	return cmp_computed(a, in_a, b, in_b);
}

static int compare_baseline(const struct hist_column *column, const struct hist_entry *a, const struct hist_entry *b)
{
	return CMP(b->self.period, a->self.period);
}

static int compare_nothing(const struct hist_column *column, const struct hist_entry *a, const struct hist_entry *b)
{
	return 0;
}

/* Cells without a width stand between separators: they have no blanks before their text, and a blank if there is none. */
static int put_text(char *buf, size_t size, const struct hist_cell *cell, const char *text)
{
	return snprintf(buf, size, "%*s", cell->width, text);
}

static int print_baseline(char *buf, size_t size, const struct hist_cell *cell)
{
	double percent = hist_entry__percent(cell->entry, cell->entry->self.period);

	if (is_new(cell->entry))
		return put_text(buf, size, cell, cell->width ? "" : " ");
	return cell->width ? snprintf(buf, size, "%*.2f%%", cell->width - 1, percent) : snprintf(buf, size, "%.2f", percent);
}

static int print_base_period(char *buf, size_t size, const struct hist_cell *cell)
{
	return snprintf(buf, size, "%*llu", cell->width, (unsigned long long)cell->entry->self.period);
}

static int print_delta(char *buf, size_t size, const struct hist_cell *cell)
{
	const struct hist_entry *entry = in_file(cell->entry, cell->column->file);

	if (!entry)
		return put_text(buf, size, cell, " ");
	return snprintf(buf, size, "%+*.2f%%", cell->width ? cell->width - 1 : 0, delta(cell->entry, entry));
}

/* Values of 0 are not shown between separators, as in perf. */
static int print_ratio(char *buf, size_t size, const struct hist_cell *cell)
{
	const struct hist_entry *entry = in_file(cell->entry, cell->column->file);

	if (!entry || (!cell->width && !is_new(cell->entry) && !entry->self.period))
		return put_text(buf, size, cell, " ");
	if (is_new(cell->entry))
		return put_text(buf, size, cell, "N/A");
	return snprintf(buf, size, "%*.6f", cell->width ?: cell->column->key->width, ratio(cell->entry, entry));
}

static int print_wdiff(char *buf, size_t size, const struct hist_cell *cell)
{
	const struct hist_entry *entry = in_file(cell->entry, cell->column->file);
	s64 value = entry ? wdiff(cell->entry, entry) : 0;

	if (!entry || (!cell->width && !is_new(cell->entry) && !value))
		return put_text(buf, size, cell, " ");
	if (is_new(cell->entry))
		return put_text(buf, size, cell, "N/A");
	return snprintf(buf, size, "%*lld", cell->column->key->width, (long long)value);
}

static void formula(char *buf, size_t size, const struct hist_entry *base, const struct hist_entry *entry)
{
	const struct hist_comparison *c = base->hists->opts.comparison;
	unsigned long long of_file = entry->self.period, of_base = base->self.period;

	if (c->compute == HIST_COMPUTE_RATIO)
		snprintf(buf, size, "%llu / %llu", of_file, of_base);
	else if (c->compute == HIST_COMPUTE_WDIFF)
		snprintf(buf, size, "(%llu * %lld) - (%llu * %lld)", of_file, (long long)c->file_weight, of_base, (long long)c->base_weight);
	else
		snprintf(buf, size, "(%llu * 100 / %llu) - (%llu * 100 / %llu)", of_file, (unsigned long long)entry->hists->total_period,
			 of_base, (unsigned long long)base->hists->total_period);
}

static int print_formula(char *buf, size_t size, const struct hist_cell *cell)
{
	const struct hist_entry *entry = in_file(cell->entry, cell->column->file);
	char text[FORMULA_WIDTH] = " "; /* as in perf, longer ones are cut */

	if (entry)
		formula(text, sizeof(text), cell->entry, entry);
	return put_text(buf, size, cell, text);
}

static int print_period(char *buf, size_t size, const struct hist_cell *cell)
{
	const struct hist_entry *entry = in_file(cell->entry, cell->column->file);

	if (!entry)
		return put_text(buf, size, cell, " ");
	return snprintf(buf, size, "%*llu", cell->width, (unsigned long long)entry->self.period);
}

#define COMPARED(title_, width_, print_, compare_) \
	{ .name = "(compared)", .title = title_, .width = width_, .kind = HIST_KEY_SUM, .print = print_, .compare = compare_, \
	  .flags = HIST_KEY_RIGHT | HIST_KEY_FIXED | HIST_KEY_ANYWHERE | HIST_KEY_COMPARED }

static const struct hist_key baseline_key = COMPARED("Baseline", 0, print_baseline, compare_baseline);
static const struct hist_key base_period_key = COMPARED("Base period", 14, print_base_period, compare_nothing);
static const struct hist_key formula_key = COMPARED("Formula", FORMULA_WIDTH, print_formula, compare_nothing);
static const struct hist_key period_key = COMPARED("Period", 14, print_period, compare_nothing);
static const struct hist_key order_key = COMPARED("", 0, NULL, compare_order);
static const struct hist_key computed_key[] = {
	[HIST_COMPUTE_DELTA_ABS] = COMPARED("Delta Abs", 7, print_delta, compare_column),
	[HIST_COMPUTE_DELTA] = COMPARED("Delta", 7, print_delta, compare_column),
	[HIST_COMPUTE_RATIO] = COMPARED("Ratio", 14, print_ratio, compare_column),
	[HIST_COMPUTE_WDIFF] = COMPARED("Weighted diff", 14, print_wdiff, compare_column),
};

/* The i-th column of this file; NULL: it has no more. */
static const struct hist_key *key_of(const struct hist_comparison *c, u32 file, u32 i)
{
	const struct hist_key *keys[3];
	u32 nr = 0;

	keys[nr++] = file ? &computed_key[c->compute] : &baseline_key;
	if (c->show_formula && file)
		keys[nr++] = &formula_key;
	if (c->show_period)
		keys[nr++] = file ? &period_key : &base_period_key;
	return i < nr ? keys[i] : NULL;
}

static void set_column(struct hist_column *column, const struct hist_comparison *c, const struct hist_key *key, u32 file)
{
	*column = (struct hist_column){ .key = key, .width = key->width, .file = file };
	if (c->nr_files > 2)
		snprintf(column->field, sizeof(column->field), "%s/%u", key->title, file);
	else
		text__copy(column->field, sizeof(column->field), key->title);
}

bool hist_comparison__column(const struct hist_comparison *c, u32 i, struct hist_column *column)
{
	const struct hist_key *key;

	for (u32 file = 0; file < c->nr_files; file++) {
		for (u32 n = 0; (key = key_of(c, file, n)); n++) {
			if (i--)
				continue;
			set_column(column, c, key, file);
			return true;
		}
	}
	return false;
}

bool hist_comparison__order_column(const struct hist_comparison *c, struct hist_column *column)
{
	if (!c->order)
		return false;
	set_column(column, c, &order_key, c->order);
	column->order_only = true;
	return true;
}

/* The first one of a name, by the other keys and its address, stays and gets the sums of the rest. */
int hists__join_names(struct hists *hists)
{
	struct hist_entry **all, *first;
	int ret = hists__settle(hists);
	u32 nr;

	if (ret)
		return ret;
	entry_table__sort(&hists->all);
	all = entry_table__take_all(&hists->all, &nr);
	hists->by_name = true;
	for (u32 i = 0; i < nr; i++) {
		first = entry_table__find(&hists->all, all[i]);
		if (!first && !entry_table__add(&hists->all, all[i]))
			continue;
		if (first)
			hist_entry__merge(first, all[i]);
		else
			ret = -ENOMEM;
		hists__keep(hists, all[i]);
	}
	free(all);
	return ret;
}

void hists__keep_matched(struct hists *hists)
{
	u32 nr = 0;

	for (u32 i = 0; i < hists->nr_entries; i++) {
		struct hist_entry *entry = hists->entry[i];

		if (entry->others && !is_new(entry))
			hists->entry[nr++] = entry;
		else
			hists->left_out_period += entry->self.period;
	}
	hists->nr_entries = nr;
	hists->total_period -= hists->left_out_period;
}
