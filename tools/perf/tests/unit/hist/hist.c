// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/hist/fixture.h"

#include <stdio.h>

static const struct thread one = { .pid = 1, .tid = 1, .comm = "one" };
static const struct thread two = { .pid = 2, .tid = 2, .comm = "two" };

/* "leaf:self/total ..." in output order */
static void assert_entries(const struct hists *hists, const char *want)
{
	char got[512] = "";

	for (u32 i = 0; i < hists->nr_entries; i++) {
		const struct hist_entry *e = hists->entry[i];

		sprintf(got + strlen(got), "%s%s:%llu/%llu", i ? " " : "", e->sym ? e->sym->name : "-",
			(unsigned long long)e->self.period, (unsigned long long)e->total.period);
	}
	assert_string_equal(got, want);
}

static void samples_of_one_function_add_up(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, NULL, NULL);
	fixture_add(&hists, &one, "a", 10);
	fixture_add(&hists, &one, "b", 30);
	fixture_add(&hists, &one, "a", 15);
	fixture_add(&hists, &two, "a", 5);
	assert_int_equal(hists__sort(&hists), 0);
	assert_entries(&hists, "b:30/0 a:25/0 a:5/0");
	assert_string_equal(hists.entry[2]->comm, "two");
	assert_int_equal(hists.entry[1]->self.nr, 2);
	assert_int_equal(hists.nr_samples, 4);
	assert_int_equal(hists.total_period, 60);
	hists__exit(&hists);
}

static void keys_decide_what_is_one_entry(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, "sym", NULL);
	fixture_add(&hists, &one, "a", 1);
	fixture_add(&hists, &two, "a", 1);
	hists__sort(&hists);
	assert_entries(&hists, "a:2/0");
	hists__exit(&hists);

	fixture_init(&hists, (struct hist_opts){}, "pid,dso", NULL);
	fixture_add(&hists, &one, "a", 1);
	fixture_add(&hists, &one, "b", 1);
	fixture_add(&hists, &one, "K", 1);
	fixture_add(&hists, &two, "a", 4);
	hists__sort(&hists);
	assert_entries(&hists, "a:4/0 a:2/0 K:1/0");
	hists__exit(&hists);
}

/* Each function counts once for a sample, however often it is on the stack. */
static void children_count_callers_once(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .children = true, .caller_first = true, .chain_mode = HIST_CHAIN_GRAPH }, NULL,
		     NULL);
	fixture_add(&hists, &one, "drrrm", 10);
	fixture_add(&hists, &one, "rrm", 5);
	hists__sort(&hists);
	assert_entries(&hists, "m:0/15 r:5/15 d:10/10");
	hists__exit(&hists);
}

static void equal_entries_are_ordered_by_name(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, NULL, NULL);
	fixture_add(&hists, &two, "a", 1);
	fixture_add(&hists, &one, "c", 1);
	fixture_add(&hists, &one, "b", 1);
	fixture_add(&hists, &one, "K", 1);
	hists__sort(&hists);
	assert_entries(&hists, "K:1/0 b:1/0 c:1/0 a:1/0");
	hists__exit(&hists);
}

/* Callers above callees, by the depth of what hangs below them. The sampled function has the whole chain, and its own share. */
static void callers_come_before_callees_of_the_same_sum(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .children = true, .caller_first = true, .chain_mode = HIST_CHAIN_GRAPH }, NULL,
		     NULL);
	fixture_add(&hists, &one, "lbzam", 8);
	hists__sort(&hists);
	assert_entries(&hists, "l:8/8 m:0/8 a:0/8 z:0/8 b:0/8");
	hists__exit(&hists);
}

static void chains_follow_the_order_asked_for(void **state)
{
	struct hists hists;
	const struct chain_node *node;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, NULL, NULL);
	fixture_add(&hists, &one, "abc", 1);
	hists__sort(&hists);
	node = hists.entry[0]->chains.root.child[0];
	assert_string_equal(node->frame[0].sym->name, "a");
	hists__exit(&hists);

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH, .caller_first = true }, NULL, NULL);
	fixture_add(&hists, &one, "abc", 1);
	hists__sort(&hists);
	node = hists.entry[0]->chains.root.child[0];
	assert_string_equal(node->frame[0].sym->name, "c");
	assert_int_equal(node->nr_frames, 3);
	hists__exit(&hists);
}

/* The entry of a caller has the chain from it on, not what called it. */
static void children_have_the_rest_of_the_chain(void **state)
{
	struct hists hists;
	const struct chain_node *node;

	fixture_init(&hists, (struct hist_opts){ .children = true, .caller_first = true, .chain_mode = HIST_CHAIN_GRAPH }, "sym",
		     NULL);
	fixture_add(&hists, &one, "abc", 1);
	hists__sort(&hists);
	assert_entries(&hists, "a:1/1 c:0/1 b:0/1");
	node = hists.entry[2]->chains.root.child[0];
	assert_int_equal(node->nr_frames, 2);
	assert_string_equal(node->frame[0].sym->name, "b");
	assert_int_equal(hists.entry[0]->chains.root.child[0]->nr_frames, 3);
	hists__exit(&hists);
}

static void chains_below_the_limit_are_hidden(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH, .chain_min_percent = 10 }, NULL, NULL);
	fixture_add(&hists, &one, "ab", 95);
	fixture_add(&hists, &one, "ac", 5);
	hists__sort(&hists);
	assert_int_equal(hists.entry[0]->chains.root.nr_shown, 1);
	assert_int_equal(hists.entry[0]->chains.root.child[0]->nr_shown, 1);
	hists__exit(&hists);
}

static void trace_texts_are_keys_and_are_copied(void **state)
{
	struct location loc = fixture_location('K');
	struct hist_sample sample = { .thread = &one, .loc = &loc, .period = 1, .nr = 1 };
	char text[8] = "x=1";
	struct hists hists;

	sample.trace = text;
	fixture_init(&hists, (struct hist_opts){}, "trace", NULL);
	hists__add(&hists, &sample);
	hists__add(&hists, &sample);
	strcpy(text, "x=2");
	hists__add(&hists, &sample);
	hists__sort(&hists);
	assert_int_equal(hists.nr_entries, 2);
	assert_string_equal(hists.entry[0]->trace, "x=1");
	assert_int_equal(hists.entry[0]->self.nr, 2);
	assert_string_equal(hists.entry[1]->trace, "x=2");
	hists__exit(&hists);
}

static void unknown_places_are_told_apart_by_address(void **state)
{
	struct location loc = { .addr = 0x20, .cpumode = PERF_RECORD_MISC_USER };
	struct hist_sample sample = { .thread = &one, .loc = &loc, .period = 1, .nr = 1 };
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, NULL, NULL);
	hists__add(&hists, &sample);
	loc.addr = 0x10;
	hists__add(&hists, &sample);
	hists__add(&hists, &(struct hist_sample){ .thread = &one, .loc = &loc, .period = 0, .nr = 1 });
	fixture_add(&hists, &one, "a", 1);
	hists__sort(&hists);
	assert_int_equal(hists.nr_entries, 3);
	assert_string_equal(hists.entry[0]->sym->name, "a"); /* unknown ones last */
	assert_int_equal(hists.entry[1]->addr, 0x10);
	assert_int_equal(hists.entry[2]->addr, 0x20);
	hists__exit(&hists);
}

/* b is an entry of its own samples before it is one of callers, but a's sample had it first. */
static void what_is_no_key_comes_from_the_first_sample(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .children = true }, "sym", NULL);
	fixture_add(&hists, &one, "ab", 1);
	fixture_add(&hists, &two, "b", 1);
	fixture_add(&hists, &two, "a", 1);
	hists__sort(&hists);
	assert_entries(&hists, "a:2/2 b:1/2");
	assert_ptr_equal(hists.entry[0]->thread, &one);
	assert_ptr_equal(hists.entry[1]->thread, &one);
	hists__exit(&hists);
}

#define MANY 20000

/* Each address is an entry, with two callers of which nothing is known either. */
static void many_entries_and_chains_are_told_apart(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, NULL, NULL);
	for (u64 i = 0; i < 2 * MANY; i++) {
		u64 addr = 1 + i % MANY;
		struct location frame[] = { { .addr = addr }, { .addr = 2 * MANY + addr / 3 }, { .addr = 3 * MANY + i / MANY } };
		struct callchain chain = { .frame = frame, .nr = 3, .callers = 1 + addr / 3 + i / MANY * MANY, .nr_leaf = 1 };

		assert_int_equal(hists__add(&hists, &(struct hist_sample){ .thread = &one, .loc = frame, .chain = &chain,
									   .period = addr, .nr = 1 }), 0);
	}
	hists__sort(&hists);
	assert_int_equal(hists.nr_entries, MANY);
	for (u32 i = 0; i < MANY; i++) {
		const struct hist_entry *e = hists.entry[i];
		const struct chain_node *branch = e->chains.root.child[0];

		assert_int_equal(e->addr, MANY - i);
		assert_int_equal(e->self.period, 2 * e->addr);
		assert_int_equal(e->self.nr, 2);
		assert_int_equal(e->chains.root.nr_children, 1);
		assert_int_equal(branch->nr_frames, 2);
		assert_int_equal(branch->frame[1].addr, 2 * MANY + e->addr / 3);
		assert_int_equal(branch->nr_children, 2);
	}
	hists__exit(&hists);
}

static void no_samples_are_no_error(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, NULL, NULL);
	assert_int_equal(hists__sort(&hists), 0);
	assert_int_equal(hists.nr_entries, 0);
	hists__exit(&hists);
}

/* As perf: what was sampled before the name was known counts for the first name. */
static void late_names_are_given_to_earlier_entries(void **state)
{
	struct thread t = { .pid = 7, .tid = 7, .comm = ":7" }, never = { .pid = 8, .tid = 8, .comm = ":8" };
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .children = true, .chain_mode = HIST_CHAIN_GRAPH }, "comm,sym", NULL);
	fixture_add(&hists, &t, "am", 10);
	fixture_add(&hists, &t, "bm", 1);
	t.comm = t.first_comm = "first";
	t.comm_set = true;
	fixture_add(&hists, &t, "am", 20);
	t.comm = "second";
	fixture_add(&hists, &t, "am", 5);
	fixture_add(&hists, &never, "a", 3);
	assert_int_equal(hists__sort(&hists), 0);
	assert_entries(&hists, "m:0/31 a:30/30 m:0/5 a:5/5 a:3/3 b:1/1");
	assert_string_equal(hists.entry[0]->comm, "first");
	assert_int_equal(chain_node__sum(&hists.entry[1]->chains.root), 30);
	assert_string_equal(hists.entry[4]->comm, ":8");
	hists__exit(&hists);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_one_function_add_up),
		cmocka_unit_test(keys_decide_what_is_one_entry),
		cmocka_unit_test(children_count_callers_once),
		cmocka_unit_test(equal_entries_are_ordered_by_name),
		cmocka_unit_test(callers_come_before_callees_of_the_same_sum),
		cmocka_unit_test(chains_follow_the_order_asked_for),
		cmocka_unit_test(children_have_the_rest_of_the_chain),
		cmocka_unit_test(chains_below_the_limit_are_hidden),
		cmocka_unit_test(trace_texts_are_keys_and_are_copied),
		cmocka_unit_test(unknown_places_are_told_apart_by_address),
		cmocka_unit_test(what_is_no_key_comes_from_the_first_sample),
		cmocka_unit_test(many_entries_and_chains_are_told_apart),
		cmocka_unit_test(no_samples_are_no_error),
		cmocka_unit_test(late_names_are_given_to_earlier_entries),
	};

	return cmocka_run_group_tests_name("hist/hist", tests, NULL, NULL);
}
