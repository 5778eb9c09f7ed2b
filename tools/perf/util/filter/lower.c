// SPDX-License-Identifier: GPL-2.0
/*
 * Lowers a checked tree to the jump table. Entries are made last first: when a test is lowered, the entries it jumps to
 * are there already, so its targets are just numbers and nothing is patched. AND, OR and NOT make no entries; they only
 * choose the targets of the tests below them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/ast.h"
#include "util/filter/glob.h"
#include "util/filter/terms.h"

#define NE (FILTER_LT | FILTER_GT)
#define LE (FILTER_LT | FILTER_EQ)
#define GE (FILTER_EQ | FILTER_GT)

/* Where to go: a verdict, or an entry counted from the end of the table (0 is the last). */
#define TO_ACCEPT (-1)
#define TO_REJECT (-2)

struct draft {
	struct filter_entry entry; /* jt and jf not yet set */
	int jt, jf;
};

struct lowering {
	struct filter_table *table;
	struct draft draft[FILTER_MAX_ENTRIES];
	unsigned int nr; /* entries needed; those beyond the limit are counted only */
	unsigned int nr_globs;
	struct errmsg *err;
	int rc;
};

struct range {
	u64 first, last;
};

static int emit(struct lowering *l, struct filter_entry entry, int jt, int jf)
{
	if (l->nr < FILTER_MAX_ENTRIES)
		l->draft[l->nr] = (struct draft){ entry, jt, jf };
	return l->nr++;
}

static int emit_term(struct lowering *l, const struct filter_term_desc *term, unsigned int cond, u64 mask, u64 value,
		     int jt, int jf)
{
	struct filter_entry entry = {
		.term = term->slot,
		.shift = term->shift,
		.cond = cond,
		.mask = filter_term__mask(term) & mask,
		.value = value,
	};

	return emit(l, entry, jt, jf);
}

static int by_first(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* The values of a set as ascending ranges that neither touch nor overlap. Returns how many; *ranges is malloc'ed. */
static int collect_ranges(const struct filter_test *test, struct range **ranges)
{
	const struct filter_value *value;
	struct range *r;
	int nr = 0, last = 0, i;

	DL_COUNT(test->values, value, nr);
	*ranges = r = calloc(nr, sizeof(*r));
	if (!r)
		return -ENOMEM;
	i = 0;
	DL_FOREACH(test->values, value)
		r[i++] = (struct range){ value->first, value->last };
	qsort(r, nr, sizeof(*r), by_first);
	for (i = 1; i < nr; i++) {
		if (r[last].last == UINT64_MAX || r[i].first <= r[last].last + 1) {
			if (r[i].last > r[last].last)
				r[last].last = r[i].last;
		} else {
			r[++last] = r[i];
		}
	}
	return last + 1;
}

/*
 * One range of an ascending list: jt if the value is in it, below if it is less (and so in none of the later ranges
 * either), above if it is greater. One entry does for a single value, for a range that starts at 0 or ends at the
 * greatest number, and for an aligned power of two, where the low bits are masked away.
 */
static int lower_range(struct lowering *l, const struct filter_term_desc *term, const struct range *r, int jt,
		       int below, int above)
{
	u64 inner = r->last - r->first; /* all ones below the size of a power of two */

	if (!r->first)
		return emit_term(l, term, LE, ~0ULL, r->last, jt, above);
	if (r->last >= filter_term__mask(term))
		return emit_term(l, term, GE, ~0ULL, r->first, jt, below);
	if (!(inner & (inner + 1)) && !(r->first & inner))
		return emit_term(l, term, FILTER_EQ, ~inner, r->first, jt, above);
	return emit_term(l, term, GE, ~0ULL, r->first, emit_term(l, term, LE, ~0ULL, r->last, jt, above), below);
}

static int lower_set(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	struct range *ranges;
	int nr = collect_ranges(test, &ranges), next = jf;

	if (nr < 0) {
		l->rc = errmsg__set(l->err, ENOMEM, "filter: out of memory");
		return jf;
	}
	while (nr-- > 0)
		next = lower_range(l, test->term, &ranges[nr], jt, jf, next);
	free(ranges);
	return next;
}

static int lower_number(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	static const unsigned int cond[FILTER_OP_MAX] = {
		[FILTER_OP_EQ] = FILTER_EQ, [FILTER_OP_NE] = NE, [FILTER_OP_GT] = FILTER_GT,
		[FILTER_OP_GE] = GE,	    [FILTER_OP_LE] = LE, [FILTER_OP_LT] = FILTER_LT,
	};
	u64 value = test->values->first;

	if (test->op == FILTER_OP_IN)
		return lower_set(l, test, jt, jf);
	if (test->op == FILTER_OP_ANY)
		return emit_term(l, test->term, FILTER_GT, value, 0, jt, jf);
	return emit_term(l, test->term, cond[test->op], ~0ULL, value, jt, jf);
}

/* Do the slot's bytes equal name[from..from + 8), those at len and beyond left out? */
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
 * The first len bytes of comm are those of name. A comparison that covers a NUL needs nothing behind it, since a name
 * is padded with NULs; so names up to 7 bytes take one entry.
 */
static int lower_comm_bytes(struct lowering *l, const char *name, unsigned int len, int jt, int jf)
{
	struct filter_entry lo = comm_entry(FILTER_TERM_COMM_LO, name, 0, len);
	struct filter_entry hi = comm_entry(FILTER_TERM_COMM_HI, name, 8, len);

	if (hi.mask)
		jt = emit(l, hi, jt, jf);
	return emit(l, lo, jt, jf);
}

static int lower_comm_name(struct lowering *l, const char *name, int jt, int jf)
{
	return lower_comm_bytes(l, name, strlen(name) + 1, jt, jf);
}

static unsigned int find_glob(struct lowering *l, const struct glob *glob)
{
	struct filter_glob automaton;
	unsigned int i;

	glob__to_automaton(glob, &automaton);
	for (i = 0; i < l->nr_globs && i < FILTER_MAX_GLOBS; i++) {
		if (!memcmp(&l->table->words.glob[i], &automaton, sizeof(automaton)))
			return i;
	}
	if (i < FILTER_MAX_GLOBS)
		l->table->words.glob[i] = automaton;
	return l->nr_globs++;
}

static int lower_pattern(struct lowering *l, const struct filter_word *pattern, int jt, int jf)
{
	char name[FILTER_COMM_LEN] = "";
	struct filter_entry entry = { .term = FILTER_TERM_COMM_GLOB, .cond = FILTER_EQ, .mask = 1, .value = 1 };
	struct glob glob;
	const char *why;
	unsigned int i;

	l->rc = glob__parse(pattern, &glob, &why); /* was checked: cannot fail */
	if (l->rc)
		return jf;
	if (!glob__is_prefix(&glob)) {
		entry.shift = find_glob(l, &glob);
		return emit(l, entry, jt, jf);
	}
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
		return lower_comm_name(l, test->values->comm, jf, jt);
	case FILTER_OP_GLOB:
		return lower_pattern(l, &test->values->lo, jt, jf);
	case FILTER_OP_NOT_GLOB:
		return lower_pattern(l, &test->values->lo, jf, jt);
	default: /* ==, in: the list is walked from its tail */
		for (value = test->values->prev;; value = value->prev) {
			next = lower_comm_name(l, value->comm, jt, next);
			if (value == test->values)
				return next;
		}
	}
}

static int lower_test(struct lowering *l, const struct filter_test *test, int jt, int jf)
{
	l->table->sample_type |= filter_slot__get(test->term->slot)->need;
	if (test->term->kind == FILTER_KIND_COMM)
		return lower_comm(l, test, jt, jf);
	return lower_number(l, test, jt, jf);
}

/* Returns the target that evaluates node and goes on at jt or jf. */
static int lower_node(struct lowering *l, const struct filter_node *node, int jt, int jf)
{
	const struct filter_node *child;

	if (l->rc)
		return jf;
	if (node->kind == FILTER_TEST)
		return lower_test(l, &node->test, jt, jf);
	if (node->kind == FILTER_NOT)
		return lower_node(l, node->children, jf, jt);
	for (child = node->children->prev;; child = child->prev) {
		if (node->kind == FILTER_AND)
			jt = lower_node(l, child, jt, jf);
		else
			jf = lower_node(l, child, jt, jf);
		if (child == node->children)
			return node->kind == FILTER_AND ? jt : jf;
	}
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
	for (i = 0; i < l->nr; i++) {
		const struct draft *draft = &l->draft[l->nr - 1 - i];

		table->entry[i] = draft->entry;
		table->entry[i].jt = final_target(draft->jt, l->nr);
		table->entry[i].jf = final_target(draft->jf, l->nr);
	}
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
	if (l.nr_globs > FILTER_MAX_GLOBS)
		return errmsg__set(err, E2BIG,
				   "filter: it needs %u different patterns, and %u is the limit; "
				   "patterns like 'abc*' do not count",
				   l.nr_globs, FILTER_MAX_GLOBS);
	fill_table(&l, table);
	return 0;
}
