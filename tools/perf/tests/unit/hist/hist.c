// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/hist/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/stacks/callers.h"
#include "util/hist/entry-chains.h"
#include "util/hist/group.h"

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

/* The callchains of an entry, until the next call. */
static const struct chain_node *branches_of(const struct hists *hists, u32 i)
{
	static struct chain_tree tree;

	chain_tree__exit(&tree);
	assert_int_equal(hist_entry__make_tree(hists->entry[i], &tree), 0);
	return &tree.root;
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

/* In each of two rounds thread i has one sample of period i % 10. */
static void thousands_of_keys_are_found_again_and_sorted(void **state)
{
	enum { NR = 5000 };
	static struct thread threads[NR];
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, "pid", NULL);
	for (u32 i = 0; i < 2 * NR; i++) {
		struct thread *thread = &threads[i % NR];

		*thread = (struct thread){ .pid = 1, .tid = i % NR, .comm = "many" };
		fixture_add(&hists, thread, "a", 1 + i % 10);
	}
	assert_int_equal(hists__sort(&hists), 0);
	assert_int_equal(hists.nr_entries, NR);
	for (u32 i = 0; i < NR; i++) {
		assert_int_equal(hists.entry[i]->self.nr, 2);
		assert_int_equal(hists.entry[i]->self.period, 2 * (10 - i / (NR / 10)));
		assert_int_equal(hists.entry[i]->tid, i % (NR / 10) * 10 + 9 - i / (NR / 10));
	}
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
	node = branches_of(&hists, 0)->child[0];
	assert_string_equal(node->frame[0].sym->name, "a");
	hists__exit(&hists);

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH, .caller_first = true }, NULL, NULL);
	fixture_add(&hists, &one, "abc", 1);
	hists__sort(&hists);
	node = branches_of(&hists, 0)->child[0];
	assert_string_equal(node->frame[0].sym->name, "c");
	assert_int_equal(node->nr_frames, 3);
	hists__exit(&hists);
}

/* Samples in one function, at the first and at the second byte of it. */
static void assert_branches(enum frame_key key, u32 nr, const char *first_line)
{
	struct hists hists;
	const struct chain_node *root;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH, .frame_key = key }, NULL, NULL);
	for (u64 i = 0; i < 2; i++) {
		struct location loc = fixture_location('a');
		struct callchain chain = { .frame = &loc, .nr = 1 };

		loc.addr = loc.sym_addr = loc.sym->start + i;
		assert_int_equal(hists__add(&hists, &(struct hist_sample){ .thread = &one, .loc = &loc, .chain = &chain, .period = 2 - i,
									   .nr = 1 }), 0);
	}
	assert_int_equal(hists__sort(&hists), 0);
	root = branches_of(&hists, 0);
	assert_int_equal(root->nr_children, nr);
	if (first_line)
		assert_string_equal(root->child[0]->frame[0].line, first_line);
	else
		assert_null(root->child[0]->frame[0].line);
	hists__exit(&hists);
}

/* Code by its address, shown by its function. */
static void code_symbols_are_by_address(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, "symbol_iaddr", NULL);
	for (u64 i = 0; i < 3; i++) {
		struct location loc = fixture_location('a');

		loc.addr = loc.sym_addr = loc.sym->start + i / 2;
		assert_int_equal(hists__add(&hists, &(struct hist_sample){ .thread = &one, .loc = &loc, .period = 1, .nr = 1 }), 0);
	}
	assert_int_equal(hists__sort(&hists), 0);
	assert_int_equal(hists.nr_entries, 2);
	assert_int_equal(hists.entry[0]->self.period, 2);
	for (u32 i = 0; i < 2; i++)
		assert_string_equal(hists.entry[i]->value[0].shown, "a");
	hists__exit(&hists);
}

static void frames_have_a_key(void **state)
{
	assert_branches(FRAME_BY_FUNCTION, 1, NULL);
	assert_branches(FRAME_BY_ADDRESS, 2, "+0");
	assert_branches(FRAME_BY_LINE, 1, "??:0"); /* nobody knows it */
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
	node = branches_of(&hists, 2)->child[0];
	assert_int_equal(node->nr_frames, 2);
	assert_string_equal(node->frame[0].sym->name, "b");
	assert_int_equal(branches_of(&hists, 0)->child[0]->nr_frames, 3);
	hists__exit(&hists);
}

static void chains_below_the_limit_are_hidden(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH, .chain_min_percent = 10 }, NULL, NULL);
	fixture_add(&hists, &one, "ab", 95);
	fixture_add(&hists, &one, "ac", 5);
	hists__sort(&hists);
	assert_int_equal(branches_of(&hists, 0)->nr_shown, 1);
	assert_int_equal(branches_of(&hists, 0)->child[0]->nr_shown, 1);
	hists__exit(&hists);
}

/* Then a branch of a small entry is shown if it is a large part of that. */
static void the_limit_may_be_of_the_branch_before(void **state)
{
	struct hists hists;

	for (u32 relative = 0; relative < 2; relative++) {
		fixture_init(&hists, (struct hist_opts){ .chain_mode = relative ? HIST_CHAIN_FRACTAL : HIST_CHAIN_GRAPH, .chain_min_percent = 10 },
			     NULL, NULL);
		fixture_add(&hists, &one, "ab", 95);
		fixture_add(&hists, &one, "cd", 5);
		hists__sort(&hists);
		assert_entries(&hists, "a:95/0 c:5/0");
		assert_int_equal(branches_of(&hists, 0)->nr_shown, 1);
		assert_int_equal(branches_of(&hists, 1)->nr_shown, relative);
		hists__exit(&hists);
	}
}

static struct hist_sample sample_of(const struct location *loc, const struct perf_sample *raw)
{
	return (struct hist_sample){ .thread = &one, .loc = loc, .raw = raw, .cpu = raw->cpu, .period = 1, .nr = 1 };
}

/* Values of samples: equal ones are one entry, and entries are in their order where the periods are equal. */
static void values_are_keys(void **state)
{
	static const struct {
		const char *key, *shown[2]; /* of the first and the second entry, if they are text */
		struct perf_sample low, high; /* which comes first */
	} rows[] = {
		{ "time", { "1.000000", "1.100000" }, { .time = 1000000001 }, { .time = 1199999999 } },
		{ "cgroup", { "N/A", "unknown" }, { .sample_type = 0 }, { .sample_type = PERF_SAMPLE_CGROUP, .cgroup = 1 } },
		{ "socket", { "000", "001" }, { .cpu = 2 }, { .cpu = 1 } },
		{ "weight", {}, { .sample_type = PERF_SAMPLE_WEIGHT, .weight = 9 }, { .sample_type = PERF_SAMPLE_WEIGHT, .weight = 1 } },
		{ "local_ins_lat", {}, { .sample_type = PERF_SAMPLE_WEIGHT_STRUCT, .weight = 5ULL << 32 }, { .weight = 1 } },
		{ "code_page_size", { "N/A", "4K" }, {}, { .code_page_size = 4096 } },
		{ "data_page_size", { "4K", "2M" }, { .data_page_size = 4096 }, { .data_page_size = 2 << 20 } },
		{ "phys_daddr", { "0x0000000000000001", "0x0000000000000002" }, { .phys_addr = 1 }, { .phys_addr = 2 } },
		{ "symbol_daddr", { "0x0000000000000005", "0x0000000000000006" }, { .addr = 5 }, { .addr = 6 } },
		{ "dcacheline", { "[X] 0x0000000000000040", "[X] 0x0000000000000080" }, { .addr = 127 }, { .addr = 128 } },
		{ "mem", { "L1 hit", "RAM miss" },
		  { .sample_type = PERF_SAMPLE_DATA_SRC, .data_src = PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVLNUM, L1) },
		  { .sample_type = PERF_SAMPLE_DATA_SRC, .data_src = PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVLNUM, RAM) } },
		{ "tlb", { "N/A", "L1 or L2 hit" }, {},
		  { .sample_type = PERF_SAMPLE_DATA_SRC,
		    .data_src = PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, L2) } },
		{ "snoop", { "HitM", "Fwd" }, { .sample_type = PERF_SAMPLE_DATA_SRC, .data_src = PERF_MEM_S(SNOOP, HITM) },
		  { .sample_type = PERF_SAMPLE_DATA_SRC, .data_src = PERF_MEM_S(SNOOPX, FWD) } },
		{ "locked", { "N/A", "Yes" }, {}, { .sample_type = PERF_SAMPLE_DATA_SRC, .data_src = PERF_MEM_S(LOCK, LOCKED) } },
		{ "blocked", { " N/A", " Addr" }, {}, { .sample_type = PERF_SAMPLE_DATA_SRC, .data_src = PERF_MEM_S(BLK, ADDR) } },
	};
	struct perfdata_features features = { .nr_cpu_topology = 3 };
	struct hist_env env = { .features = &features };

	features.cpu_topology = calloc(3, sizeof(*features.cpu_topology));
	features.cpu_topology[1].socket_id = 1;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct location loc = { .addr = 1 };
		struct hist_sample low = sample_of(&loc, &rows[i].low), high = sample_of(&loc, &rows[i].high);
		struct hists hists;

		print_message("%s\n", rows[i].key);
		fixture_init(&hists, (struct hist_opts){ .env = &env }, rows[i].key, NULL);
		hists__add(&hists, &high);
		hists__add(&hists, &low);
		hists__add(&hists, &low);
		hists__add(&hists, &high);
		assert_int_equal(hists__sort(&hists), 0);
		assert_int_equal(hists.nr_entries, 2);
		for (u32 e = 0; e < 2; e++) {
			assert_int_equal(hists.entry[e]->self.nr, 2);
			assert_int_equal(hists.entry[e]->first_sample, !e);
			if (rows[i].shown[e])
				assert_string_equal(hists.entry[e]->value[0].shown, rows[i].shown[e]);
		}
		hists__exit(&hists);
	}
	free(features.cpu_topology);
}

static void parent_is_the_innermost_that_matches(void **state)
{
	struct hist_env env = {};
	struct hists hists;
	regex_t regex;

	assert_int_equal(regcomp(&regex, "^[mn]$", REG_EXTENDED), 0);
	env.parent = &regex;
	fixture_init(&hists, (struct hist_opts){ .env = &env }, "parent", NULL);
	fixture_add(&hists, &one, "abc", 1); /* all the same: then it is last that has none */
	fixture_add(&hists, &one, "nmx", 1);
	fixture_add(&hists, &one, "abmn", 1);
	assert_int_equal(hists__sort(&hists), 0);
	assert_int_equal(hists.nr_entries, 3);
	assert_string_equal(hists.entry[0]->value[0].text, "m");
	assert_string_equal(hists.entry[1]->value[0].text, "n");
	assert_string_equal(hists.entry[2]->value[0].text, "[other]");
	hists__exit(&hists);
	regfree(&regex);
}

/* Places of one function that differ in their address are apart if the key wants it, for callers too. */
static void places_are_keys_of_callers_too(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .children = true }, "symoff", NULL);
	fixture_add(&hists, &one, "am", 10);
	fixture_add(&hists, &one, "bm", 1);
	assert_int_equal(hists__sort(&hists), 0);
	assert_entries(&hists, "m:0/11 a:10/10 b:1/1");
	assert_string_equal(hists.entry[0]->value[0].shown, "m+0x1");
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
		const struct chain_node *root = branches_of(&hists, i), *branch = root->child[0];

		assert_int_equal(e->addr, MANY - i);
		assert_int_equal(e->self.period, 2 * e->addr);
		assert_int_equal(e->self.nr, 2);
		assert_int_equal(root->nr_children, 1);
		assert_int_equal(branch->nr_frames, 2);
		assert_int_equal(branch->frame[1].addr, 2 * MANY + e->addr / 3);
		assert_int_equal(branch->nr_children, 2);
	}
	hists__exit(&hists);
}

static u32 add_and_ask(struct hists *hists, const struct thread *thread, const char *function, u64 period)
{
	struct location frame[2] = { fixture_location(function[0]), fixture_location('m') };
	struct callchain calls = { .frame = frame, .nr = 2, .nr_leaf = 1 };
	struct hist_sample sample = { .thread = thread, .loc = frame, .chain = &calls, .cpu = 1, .period = period, .nr = 1 };

	assert_int_equal(hists__add(hists, &sample), 0);
	return hists__last_place(hists);
}

static void more_of_a_sample_is_counted_where_it_is(void **state)
{
	const struct thread thread = { .comm = "x" };
	struct hists hists;
	u32 a, b;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, NULL, NULL);
	assert_true(hists__can_add_more(&hists, false));
	a = add_and_ask(&hists, &thread, "a", 10);
	b = add_and_ask(&hists, &thread, "b", 20);
	assert_int_not_equal(a, 0);
	assert_int_not_equal(a, b);
	assert_int_equal(add_and_ask(&hists, &thread, "a", 1), a);
	hists__add_more(&hists, a, &(struct hist_stat){ .period = 100, .nr = 2 });
	assert_int_equal(hists__sort(&hists), 0);
	assert_int_equal(hists.nr_samples, 5);
	assert_int_equal(hists.total_period, 131);
	assert_int_equal(hists.nr_entries, 2);
	assert_int_equal(hists.entry[0]->self.period, 111);
	assert_int_equal(hists.entry[0]->self.nr, 4);
	assert_int_equal(chain_node__sum(branches_of(&hists, 0)->child[0]), 111);
	hists__exit(&hists);

	/* unless the entry depends on something else */
	for (u32 i = 0; i < 2; i++) {
		fixture_init(&hists, (struct hist_opts){ .chain_mode = i ? HIST_CHAIN_NONE : HIST_CHAIN_GRAPH }, "cpu", NULL);
		assert_false(hists__can_add_more(&hists, true));
		hists__exit(&hists);
	}
	fixture_init(&hists, (struct hist_opts){}, "comm,trace", NULL);
	assert_false(hists__can_add_more(&hists, false));
	assert_true(hists__can_add_more(&hists, true));
	hists__exit(&hists);
}

static void without_chains_more_is_counted_in_the_entry(void **state)
{
	const struct thread thread = { .comm = "x" };
	struct hists hists;
	u32 a, b;

	fixture_init(&hists, (struct hist_opts){}, NULL, NULL);
	assert_true(hists__can_add_more(&hists, false));
	a = add_and_ask(&hists, &thread, "a", 10);
	b = add_and_ask(&hists, &thread, "b", 20);
	assert_int_not_equal(a, 0);
	assert_int_not_equal(b, 0);
	assert_int_not_equal(a, b);
	assert_int_equal(add_and_ask(&hists, &thread, "a", 1), a);
	hists__add_more(&hists, a, &(struct hist_stat){ .period = 100, .nr = 2 });
	assert_int_equal(hists__sort(&hists), 0);
	assert_int_equal(hists.total_period, 131);
	assert_int_equal(hists.entry[0]->self.period, 111);
	assert_int_equal(hists.entry[0]->self.nr, 4);
	assert_int_equal(hists.entry[1]->self.period, 20);
	hists__exit(&hists);
}

/* Callers that are known: samples of several events share them. */
static void tables_that_share_count_their_own_samples(void **state)
{
	struct location frame[] = { fixture_location('a'), fixture_location('m') };
	struct callchain chain = { .frame = frame, .nr = 2, .nr_leaf = 1, .callers = 1 };
	struct hist_sample sample = { .thread = &one, .loc = &frame[0], .chain = &chain, .cpu = 1, .period = 3, .nr = 1 };
	struct hist_opts opts = { .children = true, .chain_mode = HIST_CHAIN_GRAPH };
	struct hists hists[2];

	fixture_init(&hists[0], opts, NULL, NULL);
	opts.layout = hists[0].opts.layout;
	opts.shared = hist_shared__new(&opts);
	assert_non_null(opts.shared);
	hists__exit(&hists[0]);
	for (u32 i = 0; i < 2; i++)
		hists__init(&hists[i], &opts);
	for (u32 i = 0; i < 9; i++)
		assert_int_equal(hists__add(&hists[i % 3 / 2], &sample), 0);
	for (u32 i = 0; i < 2; i++) {
		fixture_add(&hists[i], &one, "bm", 1 + i); /* of unknown callers */
		assert_int_equal(hists__sort(&hists[i]), 0);
	}
	assert_entries(&hists[0], "m:0/19 a:18/18 b:1/1");
	assert_entries(&hists[1], "m:0/11 a:9/9 b:2/2");
	for (u32 i = 0; i < 2; i++)
		hists__exit(&hists[i]);
	hist_shared__delete(opts.shared);
}

/* Samples whose callers are known come with the frames of their place. */
static void known_callers_are_continued(void **state)
{
	struct location frame[] = { fixture_location('a'), fixture_location('m'), fixture_location('n') };
	struct callchain chain = { .frame = frame, .nr = 3, .nr_leaf = 1 };
	struct hist_sample sample = { .thread = &one, .loc = &frame[0], .chain = &chain, .callers = 7, .cpu = 1, .period = 3, .nr = 1 };
	struct hist_opts opts = { .children = true, .chain_mode = HIST_CHAIN_GRAPH };
	struct hists hists;

	fixture_init(&hists, opts, NULL, NULL);
	opts.layout = hists.opts.layout;
	opts.shared = hist_shared__new(&opts);
	assert_non_null(opts.shared);
	hists__exit(&hists);
	hists__init(&hists, &opts);
	assert_false(hists__know_callers(&hists, 7));
	chain.nr = chain.nr_leaf = 0; /* a damaged one tells nothing of them */
	assert_int_equal(hists__add(&hists, &sample), 0);
	assert_false(hists__know_callers(&hists, 7));
	chain = (struct callchain){ .frame = frame, .nr = 3, .nr_leaf = 1 };
	assert_int_equal(hists__add(&hists, &sample), 0);
	assert_true(hists__know_callers(&hists, 7));
	assert_false(hists__know_callers(&hists, 0));
	assert_false(hists__know_callers(&hists, 8));
	frame[0] = fixture_location('b');
	frame[1] = fixture_location('c'); /* inlined into it: it is the deepest chain */
	frame[2] = (struct location){};
	chain.nr = chain.nr_leaf = 2;
	for (u32 i = 0; i < 2; i++)
		assert_int_equal(hists__add(&hists, &sample), 0);
	assert_int_equal(hists.chains.max_depth, 4);
	hist_shared__forget_ids(opts.shared);
	assert_false(hists__know_callers(&hists, 7));
	assert_int_equal(hists__sort(&hists), 0);
	assert_entries(&hists, "n:0/9 m:0/9 a:6/6 c:0/6 b:6/6");
	hists__exit(&hists);
	hist_shared__delete(opts.shared);
}

static int add_by_ids(struct hists *hists, const struct thread *thread, u32 place, u32 callers)
{
	const struct location loc = { .cpumode = PERF_RECORD_MISC_USER };
	const struct hist_sample sample = { .thread = thread, .loc = &loc, .place = place, .callers = callers, .cpu = 1, .period = 5, .nr = 1 };

	hists__fetch_ids(hists, place, callers);
	hists__fetch_known(hists, place, callers);
	return hists__add_known(hists, &sample);
}

/* chain: a letter for each frame; the first nr_leaf are those of the place. */
static void add_with_ids(struct hists *hists, const char *letters, u32 nr_leaf, u32 place, u32 callers)
{
	struct location frame[8];
	struct callchain chain = { .frame = frame, .nr = strlen(letters), .nr_leaf = nr_leaf };
	struct hist_sample sample = { .thread = &one, .loc = &frame[0], .chain = &chain, .place = place, .callers = callers, .cpu = 1, .period = 3, .nr = 1 };

	for (u32 i = 0; i < chain.nr; i++)
		frame[i] = fixture_location(letters[i]);
	assert_int_equal(hists__add(hists, &sample), 0);
}

static void known_parts_are_joined_without_frames(void **state)
{
	struct hist_opts opts = { .children = true, .chain_mode = HIST_CHAIN_GRAPH };
	struct hists hists;

	fixture_init(&hists, opts, NULL, NULL);
	assert_int_equal(add_by_ids(&hists, &one, 1, 7), 0);
	add_with_ids(&hists, "amn", 1, 1, 7);
	add_with_ids(&hists, "bk", 1, 2, 8);
	add_with_ids(&hists, "cdk", 2, 3, 8); /* d was inlined into c */
	assert_true(hists__fetch_known(&hists, 2, 7));
	assert_int_equal(add_by_ids(&hists, &one, 2, 7), 1);
	assert_int_equal(hists__last_place(&hists), 4); /* a chain of its own */
	assert_int_equal(add_by_ids(&hists, &one, 2, 7), 1);
	assert_int_equal(hists__last_place(&hists), 4);
	assert_int_equal(add_by_ids(&hists, &one, 1, 7), 1);
	assert_int_equal(hists__last_place(&hists), 1);
	assert_int_equal(add_by_ids(&hists, &two, 2, 7), 0); /* another command has other entries */
	assert_int_equal(add_by_ids(&hists, &one, 3, 7), 0); /* its frames are not one */
	assert_int_equal(add_by_ids(&hists, &one, 2, 9), 0);
	assert_int_equal(add_by_ids(&hists, &one, 4, 7), 0);
	assert_int_equal(hists.nr_samples, 6);
	hist_shared__forget_ids(hists.shared);
	assert_int_equal(add_by_ids(&hists, &one, 2, 7), 0);
	assert_int_equal(hists__sort(&hists), 0);
	assert_entries(&hists, "n:0/18 m:0/18 b:13/13 a:8/8 k:0/6 d:0/3 c:3/3");
	hists__exit(&hists);
}

static void ids_do_not_tell_what_differs_between_samples(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, "cpu,sym", NULL);
	add_with_ids(&hists, "amn", 1, 1, 7);
	assert_int_equal(add_by_ids(&hists, &one, 1, 7), 0);
	hists__exit(&hists);
	fixture_init(&hists, (struct hist_opts){}, NULL, NULL); /* without chains */
	add_with_ids(&hists, "amn", 1, 1, 7);
	assert_int_equal(add_by_ids(&hists, &one, 1, 7), 0);
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
	assert_int_equal(chain_node__sum(branches_of(&hists, 1)), 30);
	assert_string_equal(hists.entry[4]->comm, ":8");
	hists__exit(&hists);
}

static void assert_member(const struct hist_entry *entry, u32 member, u64 self, u64 total)
{
	assert_int_equal(hist_entry__member(entry, member)->self.period, self);
	assert_int_equal(hist_entry__member_totals(entry)[member], total);
}

/* The leader has entries of all members; each of those has its own samples and totals, and only the leader callchains. */
static void events_of_a_group_have_their_own_sums(void **state)
{
	struct hist_opts opts = { .children = true, .caller_first = true, .chain_mode = HIST_CHAIN_GRAPH };
	struct hists hists, second, third, *const group[] = { &hists, &second, &third };
	struct hist_shared *shared;

	fixture_init(&hists, opts, "sym", NULL);
	opts.layout = hists.opts.layout;
	opts.shared = shared = hist_shared__new(&opts);
	for (u32 i = 0; i < ARRAY_SIZE(group); i++)
		hists__init(group[i], &opts);
	fixture_add(&hists, &one, "abm", 10);
	fixture_add(&hists, &one, "bm", 1);
	fixture_add(&second, &two, "abm", 7);
	fixture_add(&second, &two, "cm", 100);
	fixture_add(&third, &two, "abm", 4);
	fixture_add(&third, &one, "bbm", 5);
	fixture_add(&third, &one, "cm", 6);
	assert_int_equal(hists__group(group, ARRAY_SIZE(group), 0), 0);
	assert_int_equal(hists__sort(&hists), 0);
	assert_entries(&hists, "m:0/11 b:1/11 a:10/10 c:0/0");
	assert_member(hists.entry[0], 1, 0, 107);
	assert_member(hists.entry[0], 2, 0, 15);
	assert_member(hists.entry[1], 1, 0, 7);
	assert_member(hists.entry[1], 2, 5, 9);
	assert_member(hists.entry[2], 1, 7, 7);
	assert_member(hists.entry[2], 2, 4, 4);
	assert_member(hists.entry[3], 1, 100, 100);
	assert_member(hists.entry[3], 2, 6, 6);
	assert_ptr_equal(hists.entry[3]->thread, &two); /* of the second event, which has it first */
	assert_int_equal(chain_node__sum(branches_of(&hists, 0)), 11);
	assert_int_equal(chain_node__sum(branches_of(&hists, 3)), 0);
	for (u32 i = 0; i < ARRAY_SIZE(group); i++)
		hists__exit(group[i]);
	hist_shared__delete(shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_one_function_add_up),
		cmocka_unit_test(thousands_of_keys_are_found_again_and_sorted),
		cmocka_unit_test(keys_decide_what_is_one_entry),
		cmocka_unit_test(children_count_callers_once),
		cmocka_unit_test(equal_entries_are_ordered_by_name),
		cmocka_unit_test(callers_come_before_callees_of_the_same_sum),
		cmocka_unit_test(chains_follow_the_order_asked_for),
		cmocka_unit_test(frames_have_a_key),
		cmocka_unit_test(code_symbols_are_by_address),
		cmocka_unit_test(children_have_the_rest_of_the_chain),
		cmocka_unit_test(chains_below_the_limit_are_hidden),
		cmocka_unit_test(the_limit_may_be_of_the_branch_before),
		cmocka_unit_test(values_are_keys),
		cmocka_unit_test(parent_is_the_innermost_that_matches),
		cmocka_unit_test(places_are_keys_of_callers_too),
		cmocka_unit_test(unknown_places_are_told_apart_by_address),
		cmocka_unit_test(what_is_no_key_comes_from_the_first_sample),
		cmocka_unit_test(many_entries_and_chains_are_told_apart),
		cmocka_unit_test(more_of_a_sample_is_counted_where_it_is),
		cmocka_unit_test(without_chains_more_is_counted_in_the_entry),
		cmocka_unit_test(tables_that_share_count_their_own_samples),
		cmocka_unit_test(known_callers_are_continued),
		cmocka_unit_test(known_parts_are_joined_without_frames),
		cmocka_unit_test(ids_do_not_tell_what_differs_between_samples),
		cmocka_unit_test(no_samples_are_no_error),
		cmocka_unit_test(late_names_are_given_to_earlier_entries),
		cmocka_unit_test(events_of_a_group_have_their_own_sums),
	};

	return cmocka_run_group_tests_name("hist/hist", tests, NULL, NULL);
}
