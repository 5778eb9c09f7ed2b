// SPDX-License-Identifier: GPL-2.0
/* Lowers a checked tree to the jump table. AND, OR and NOT make no entries; they choose the targets of the tests below them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/lower.h"

/* A target: a verdict, or an entry counted from the end of the table (0 is the last). */
#define TO_ACCEPT (-1)
#define TO_REJECT (-2)

static int emit_term(struct lowering *l, const struct filter_term_desc *term, unsigned int cond, u64 mask, u64 value,
		     int jt, int jf)
{
	return lowering__emit_part(l, term->slot, term->shift, cond, filter_term__mask(term) & mask, value, jt, jf);
}

/* The values of a set as ascending ranges that neither touch nor overlap. Returns their number; *ranges is malloc'ed. */
static int collect_ranges(const struct filter_test *test, struct filter_range **ranges)
{
	const struct filter_value *value;
	struct filter_range *r;
	int nr = 0, i = 0;

	DL_COUNT(test->values, value, nr);
	*ranges = r = calloc(nr, sizeof(*r));
	if (!r)
		return -ENOMEM;
	DL_FOREACH(test->values, value)
		r[i++] = (struct filter_range){ value->first, value->last };
	return filter_ranges__merge(r, nr);
}

static int lower_set(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	const struct slot_part part = { test->term->slot, test->term->shift, filter_term__mask(test->term) };
	struct filter_range *ranges;
	int nr = collect_ranges(test, &ranges), first;

	if (nr < 0) {
		l->rc = errmsg__set(l->err, ENOMEM, "filter: out of memory");
		return jf;
	}
	first = lowering__ranges(l, &part, ranges, nr, jt, jf);
	free(ranges);
	return first;
}

/* Test the subtrees of cgroups: a task is in one if its cgroup's ancestor at that level is the subtree's root. */
static int lower_subtrees(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	const struct filter_value *value;
	int next = jf;

	for (value = test->values->prev;; value = value->prev) {
		next = lowering__emit_part(l, FILTER_TERM_CGROUP_AT, value->level, FILTER_EQ, ~0ULL, value->first, jt, next);
		if (value == test->values)
			return next;
	}
}

static int lower_number(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	static const unsigned int cond[FILTER_OP_MAX] = {
		[FILTER_OP_EQ] = FILTER_EQ, [FILTER_OP_NE] = FILTER_NE, [FILTER_OP_GT] = FILTER_GT,
		[FILTER_OP_GE] = FILTER_GE, [FILTER_OP_LE] = FILTER_LE, [FILTER_OP_LT] = FILTER_LT,
	};
	u64 value = test->values->first;

	if (test->op == FILTER_OP_IN && test->term->kind == FILTER_KIND_CGROUP)
		return lower_subtrees(l, test, jt, jf);
	if (test->op == FILTER_OP_IN)
		return lower_set(l, test, jt, jf);
	if (test->op == FILTER_OP_ANY)
		return emit_term(l, test->term, FILTER_GT, value, 0, jt, jf);
	return emit_term(l, test->term, cond[test->op], ~0ULL, value, jt, jf);
}

/* Does the slot equal name[from..from + 8), ignoring bytes from len on? */
static struct filter_entry comm_entry(enum filter_term slot, const char *name, unsigned int from, unsigned int len)
{
	struct filter_entry entry = { .term = slot, .cond = FILTER_EQ };
	unsigned int i;

	for (i = 0; i < 8 && from + i < len; i++) {
		entry.value |= (u64)(u8)name[from + i] << (8 * i);
		entry.mask |= 0xffULL << (8 * i);
	}
	return entry;
}

/*
 * Compare the first len bytes of comm with name. A comparison that includes a NUL needs no more entries, since names are padded with
 * NULs; so names up to 7 bytes take one entry.
 */
static int lower_comm_bytes(struct lowering *l, const char *name, unsigned int len, int jt, int jf)
{
	struct filter_entry lo = comm_entry(FILTER_TERM_COMM_LO, name, 0, len);
	struct filter_entry hi = comm_entry(FILTER_TERM_COMM_HI, name, 8, len);

	if (hi.mask)
		jt = lowering__emit(l, hi, jt, jf);
	return lowering__emit(l, lo, jt, jf);
}

static int lower_comm_name(struct lowering *l, const char *name, int jt, int jf)
{
	return lower_comm_bytes(l, name, strlen(name) + 1, jt, jf);
}

static int lower_pattern(struct lowering *l, const struct filter_word *pattern, int jt, int jf)
{
	char name[FILTER_COMM_LEN] = "";
	struct glob glob;
	const char *why;
	unsigned int i;

	l->rc = glob__parse(pattern, &glob, &why); /* already checked: cannot fail */
	if (l->rc)
		return jf;
	if (!glob__is_prefix(&glob))
		return lowering__emit_indexed(l, FILTER_TERM_COMM_GLOB, lowering__glob(l, &glob), jt, jf);
	for (i = 0; i < glob.nr; i++)
		name[i] = glob.element[i].c;
	return lower_comm_bytes(l, name, glob.nr + !glob.star[glob.nr], jt, jf);
}

static int lower_comm(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	const struct filter_value *value;
	int next = jf;

	switch (test->op) {
	case FILTER_OP_NE:
		return lower_comm_name(l, test->values->text, jf, jt);
	case FILTER_OP_GLOB:
		return lower_pattern(l, &test->values->lo, jt, jf);
	case FILTER_OP_NOT_GLOB:
		return lower_pattern(l, &test->values->lo, jf, jt);
	default: /* ==, in: walks the list from its tail */
		for (value = test->values->prev;; value = value->prev) {
			next = lower_comm_name(l, value->text, jt, next);
			if (value == test->values)
				return next;
		}
	}
}

static int lower_every(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	if (l->nr_everys < FILTER_MAX_EVERYS)
		l->table->words.every[l->nr_everys] = test->values->first;
	return lowering__emit_indexed(l, FILTER_TERM_EVERY, l->nr_everys++, jt, jf);
}

static int lower_test(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	l->clause = test->index;
	l->table->sample_type |= filter_slot__get(test->term->slot)->need;
	if (test->is_walk)
		return lowering__walk(l, test, jt, jf);
	switch (test->term->kind) {
	case FILTER_KIND_COMM:
		return lower_comm(l, test, jt, jf);
	case FILTER_KIND_SYMBOL:
		return lowering__places(l, test, jt, jf);
	case FILTER_KIND_FILE:
		return lowering__files(l, test, jt, jf);
	case FILTER_KIND_FIELD:
		return lowering__field(l, test, jt, jf);
	case FILTER_KIND_STRING:
		return lowering__string(l, test, jt, jf);
	case FILTER_KIND_FLAG:
		return emit_term(l, test->term, FILTER_GT, ~0ULL, 0, jt, jf);
	case FILTER_KIND_EVERY:
		return lower_every(l, test, jt, jf);
	default:
		return lower_number(l, test, jt, jf);
	}
}

/* Does node contain a test for which holds() is true? */
static bool any_test(const struct filter_node *node, bool (*holds)(const struct filter_test *test))
{
	const struct filter_node *child;

	if (node->kind == FILTER_TEST)
		return holds(&node->test);
	DL_FOREACH(node->children, child) {
		if (any_test(child, holds))
			return true;
	}
	return false;
}

/* rand and every have a new result each time, and every counts its tests. */
static bool is_impure(const struct filter_test *test)
{
	return test->term->kind == FILTER_KIND_EVERY || test->term->kind == FILTER_KIND_PERCENT;
}

static bool is_slow(const struct filter_test *test)
{
	return test->is_walk || filter_test__asks_for_file(test) || filter_test__copies_string(test);
}

static int lower_node(struct lowering *l, const struct filter_node *node, int jt, int jf);

/*
 * The children of an AND or OR, last first, so that the targets of each exist. Where the order does not matter, slow tests run last,
 * and so are lowered first.
 */
static int lower_children(struct lowering *l, const struct filter_node *node, int jt, int jf)
{
	bool and = node->kind == FILTER_AND, reorder = !any_test(node, is_impure);
	const struct filter_node *child;
	int *target = and ? &jt : &jf;
	int pass;

	for (pass = 0; pass < 1 + reorder; pass++) {
		for (child = node->children->prev;; child = child->prev) {
			if (!reorder || any_test(child, is_slow) == !pass)
				*target = lower_node(l, child, jt, jf);
			if (child == node->children)
				break;
		}
	}
	return *target;
}

/* Lower node; returns the target that evaluates it and continues at jt or jf. */
static int lower_node(struct lowering *l, const struct filter_node *node, int jt, int jf)
{
	if (l->rc)
		return jf;
	if (node->kind == FILTER_TEST)
		return lower_test(l, &node->test, jt, jf);
	if (node->kind == FILTER_NOT)
		return lower_node(l, node->children, jf, jt);
	return lower_children(l, node, jt, jf);
}

static u8 final_target(int target, unsigned int nr)
{
	if (target == TO_ACCEPT)
		return FILTER_ACCEPT;
	if (target == TO_REJECT)
		return FILTER_REJECT;
	return nr - 1 - target;
}

static void fill_table(const struct lowering *l, struct filter_table *table)
{
	unsigned int i;

	table->nr = l->nr;
	table->nr_globs = l->nr_globs;
	table->nr_names = l->nr_names;
	table->nr_everys = l->nr_everys;
	table->nr_sets = l->nr_sets;
	table->nr_ranges = l->nr_ranges;
	table->nr_fields = l->nr_fields;
	table->nr_texts = l->nr_texts;
	table->nr_walks = l->nr_walks;
	for (i = 0; i < l->nr; i++) {
		const struct draft *draft = &l->draft[l->nr - 1 - i];

		table->entry[i] = draft->entry;
		table->clause[i] = draft->clause;
		table->entry[i].jt = final_target(draft->jt, l->nr);
		table->entry[i].jf = final_target(draft->jf, l->nr);
	}
	table->words.record_len = filter_table__record_len(table);
}

/* The other operands of entries are limited, too. */
static int check_words(const struct lowering *l)
{
	const struct {
		unsigned int nr, limit;
		const char *what, *remedy;
	} words[] = {
		{ l->nr_globs, FILTER_MAX_GLOBS, "patterns", "those of comm like 'abc*' do not count" },
		{ l->nr_names, FILTER_MAX_NAMES, "names of files", "paths do not count" },
		{ l->nr_everys, FILTER_MAX_EVERYS, "tests by every", "use fewer" },
		{ l->nr_sets, FILTER_MAX_SETS, "large sets of functions", "join them by 'in' or a pattern" },
		{ l->nr_ranges, FILTER_MAX_RANGES, "functions that do not follow each other", "use narrower patterns" },
		{ l->nr_fields, FILTER_MAX_FIELDS, "fields of strings", "use fewer" },
		{ l->nr_texts, FILTER_MAX_TEXTS, "strings of fields", "a pattern may stand for several" },
		{ l->nr_walks, FILTER_MAX_WALKS, "values of the kernel", "use fewer" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (words[i].nr > words[i].limit)
			return errmsg__set(l->err, E2BIG, "filter: it needs %u different %s, and %u is the limit; %s", words[i].nr,
					   words[i].what, words[i].limit, words[i].remedy);
	}
	return 0;
}

int filter__lower(const struct filter *filter, struct filter_table *table, struct errmsg *err)
{
	struct lowering l = { .table = table, .err = err };

	if (!filter->checked)
		return errmsg__set(err, EINVAL, "filter: it must be checked before it is lowered");
	memset(table, 0, sizeof(*table));
	lower_node(&l, filter->root, TO_ACCEPT, TO_REJECT);
	if (l.rc)
		return l.rc;
	if (l.nr > FILTER_MAX_ENTRIES)
		return errmsg__set(err, E2BIG,
				   "filter: it needs %u comparisons, and %u is the limit; "
				   "use ranges (tid in 100..200) or fewer tests",
				   l.nr, FILTER_MAX_ENTRIES);
	if (check_words(&l))
		return -E2BIG;
	fill_table(&l, table);
	return 0;
}
