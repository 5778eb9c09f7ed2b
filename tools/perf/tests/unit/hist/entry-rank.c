// SPDX-License-Identifier: GPL-2.0
/* Sorting by ranks gives the order that comparing entries gives. */
#include "tests/unit/hist/fixture.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/hist/compare.h"
#include "util/hist/entry-cmp.h"

#define NR_SAMPLES 4000
#define NR_NAMES 12
#define NR_CALLED 300 /* samples with callers */
#define MAX_FRAMES 5

struct world {
	struct thread thread[NR_NAMES];
	char comm[NR_NAMES][16];
	struct dso dso[NR_NAMES];
	struct symbol sym[NR_NAMES * NR_NAMES];
	char name[NR_NAMES * NR_NAMES][16];
};

/* Of each kind some names are equal, but at other addresses. */
static void make_world(struct world *w)
{
	for (u32 i = 0; i < NR_NAMES; i++) {
		snprintf(w->comm[i], sizeof(w->comm[i]), "comm-%c", 'z' - (char)(i / 2));
		w->thread[i] = (struct thread){ .pid = i * 7 % NR_NAMES, .tid = (i & 1 ? -1 : 1) * (s32)i, .comm = w->comm[i], .comm_set = true };
		w->dso[i] = (struct dso){ .name = (char *)"/x", .short_name = w->comm[(i + 3) % NR_NAMES], .index = i };
	}
	for (u32 i = 0; i < ARRAY_SIZE(w->sym); i++) {
		snprintf(w->name[i], sizeof(w->name[i]), "f%u", i * 5 % (NR_NAMES * 3));
		w->sym[i] = (struct symbol){ .start = i * 3 % 40 * 16, .end = i * 3 % 40 * 16 + 16 + i % 2, .name = w->name[i] };
	}
}

static u32 next(u32 *random)
{
	return *random = *random * 1103515245 + 12345, *random >> 8;
}

static struct location make_location(struct world *w, u32 *random)
{
	struct dso *dso = next(random) % 8 ? &w->dso[next(random) % NR_NAMES] : NULL;
	struct symbol *sym = dso && next(random) % 3 ? &w->sym[next(random) % ARRAY_SIZE(w->sym)] : NULL;
	u64 addr = (u64)(next(random) % 50) << (next(random) % 2 ? 0 : 58);

	return (struct location){ .addr = addr, .sym_addr = addr, .dso = dso, .sym = sym, .cpumode = PERF_RECORD_MISC_USER };
}

static void add(struct hists *hists, struct world *w, u32 *random)
{
	struct location loc = make_location(w, random);
	struct hist_sample sample = { .thread = &w->thread[next(random) % NR_NAMES], .loc = &loc, .cpu = (s32)(next(random) % 5) - 1,
				      .period = next(random) % 8 ? 1 + next(random) % 3 : 1ULL << next(random) % 59, .nr = 1 };

	assert_int_equal(hists__add(hists, &sample), 0);
}

/* hidden: a key without a column, which then tells entries apart but does not sort them; NULL: none. */
static void check_hiding(const char *sort, const char *fields, const char *hidden, bool by_name)
{
	static struct world w;
	struct hists hists;
	u32 random = 1;
	u64 period = 0;

	make_world(&w);
	fixture_init(&hists, (struct hist_opts){}, sort, fields);
	if (hidden)
		hist_layout__hide((struct hist_layout *)hists.opts.layout, hidden);
	for (u32 i = 0; i < NR_SAMPLES; i++)
		add(&hists, &w, &random);
	if (by_name)
		assert_int_equal(hists__join_names(&hists), 0);
	assert_int_equal(hists__sort(&hists), 0);
	assert_int_equal(hists.nr_entries, hists.all.nr);
	for (u32 i = 0; i < hists.nr_entries; i++) {
		period += hists.entry[i]->self.period;
		if (i)
			assert_true(hist_entry__cmp_output(hists.entry[i - 1], hists.entry[i]) < 0);
	}
	assert_int_equal(period, hists.total_period);
	hists__exit(&hists);
}

static void check(const char *sort, const char *fields, bool by_name)
{
	check_hiding(sort, fields, NULL, by_name);
}

static void entries_are_in_the_order_of_the_output(void **state)
{
	static const char *const sorts[] = { "comm,dso,symbol", "symbol", "symbol,comm,dso", "pid,cpu,symbol", "tgid,dso", "cpu,comm,symbol,pid,tgid",
					     "comm,symoff,dso", "addr,symbol", "dso,symbol,comm_nodigit" };

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++)
		check(sorts[i], NULL, false);
}

static void columns_may_be_in_any_order(void **state)
{
	check("comm,dso,symbol", "period,comm,sample,dso,symbol", false);
	check("symbol,dso", "dso,overhead,symbol", false);
	check("symbol,dso", "sample,dso,overhead,symbol", false);
	check("pid", "pid,overhead", false);
	check("pid,dso,symbol", "dso,pid,overhead,symbol", false); /* more bits than ranks have */
}

static void columns_may_be_hidden(void **state)
{
	check_hiding("comm,dso,symbol", NULL, "comm", false);
	check_hiding("symbol,dso", NULL, "dso", false);
}

static void joined_names_are_sorted_by_them(void **state)
{
	check("dso,symbol", NULL, true);
	check("symbol", NULL, true);
}

static void add_called(struct hists *hists, struct world *w, u32 *random)
{
	struct location frame[MAX_FRAMES];
	struct callchain chain = { .frame = frame, .nr = 1 + next(random) % MAX_FRAMES, .nr_leaf = 1 };
	struct hist_sample sample = { .thread = &w->thread[next(random) % NR_NAMES], .loc = frame, .chain = &chain, .period = 1 + next(random) % 2, .nr = 1 };

	for (u32 i = 0; i < chain.nr; i++)
		frame[i] = make_location(w, random);
	assert_int_equal(hists__add(hists, &sample), 0);
}

static struct hist_entry **in_tree; /* what walks over the tree has yet to meet */

static void meet(const void *node, VISIT visit, int depth)
{
	if (visit == postorder || visit == leaf)
		assert_ptr_equal(*(struct hist_entry *const *)node, *in_tree++);
}

static void keep(void *entry)
{
}

/* The order of callers' entries is that of a tree that compares them, filled in the order of their keys. */
static void check_callers(const char *sort, const char *fields, bool by_name)
{
	static struct world w;
	struct hists hists;
	void *tree = NULL;
	u32 random = 1;

	make_world(&w);
	fixture_init(&hists, (struct hist_opts){ .children = true, .chain_mode = HIST_CHAIN_GRAPH }, sort, fields);
	for (u32 i = 0; i < NR_CALLED; i++)
		add_called(&hists, &w, &random);
	if (by_name)
		assert_int_equal(hists__join_names(&hists), 0);
	assert_int_equal(hists__sort(&hists), 0);
	assert_true(hists.nr_entries > NR_NAMES);
	entry_table__sort(&hists.all);
	for (u32 i = 0; i < hists.all.nr; i++)
		assert_non_null(tsearch(hists.all.entry[i], &tree, hist_entry__cmp_output));
	in_tree = hists.entry;
	twalk(tree, meet);
	assert_ptr_equal(in_tree, hists.entry + hists.nr_entries);
	tdestroy(tree, keep);
	hists__exit(&hists);
}

static void callers_are_in_the_order_of_a_tree(void **state)
{
	static const char *const sorts[] = { "comm,dso,symbol", "symbol", "symbol,comm,dso", "pid,symbol", "tgid,dso", "comm,symbol,pid,tgid" };

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++)
		check_callers(sorts[i], NULL, false);
	check_callers("comm,dso,symbol", "overhead,comm,symbol", false);
	check_callers("comm,dso,symbol", "comm,overhead_children,overhead,symbol", false);
	check_callers("dso,symbol", NULL, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_in_the_order_of_the_output),
		cmocka_unit_test(columns_may_be_in_any_order),
		cmocka_unit_test(columns_may_be_hidden),
		cmocka_unit_test(joined_names_are_sorted_by_them),
		cmocka_unit_test(callers_are_in_the_order_of_a_tree),
	};

	return cmocka_run_group_tests_name("hist/entry-rank", tests, NULL, NULL);
}
