// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/hist/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "ui/report/stdio.h"
#include "util/hist/group.h"

static const struct thread one = { .pid = 1, .tid = 1, .comm = "one" };
static const struct thread longer = { .pid = 2, .tid = 2, .comm = "longer-name" };

static void assert_prints(struct hists *hists, const struct hist_stdio_opts *opts, const char *want)
{
	char *text;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	assert_non_null(fp);
	assert_int_equal(hists__sort(hists), 0);
	assert_int_equal(hists__fprintf(hists, fp, opts), 0);
	fclose(fp);
	assert_string_equal(text, want);
	free(text);
	hists__exit(hists);
}

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, NULL, NULL);
	fixture_add(&hists, &one, "a", 3);
	fixture_add(&hists, &longer, "K", 1);
	assert_prints(&hists, &(struct hist_stdio_opts){},
		      "# Overhead  Command      Shared Object      Symbol\n"
		      "# ........  ...........  .................  ......\n"
		      "#\n"
		      "    75.00%  one          x                  [.] a\n"
		      "    25.00%  longer-name  [kernel.kallsyms]  [k] K\n");
}

static void assert_prints_name(const char *name, const struct hist_stdio_opts *opts, const char *want)
{
	struct location loc = fixture_location('a');
	struct symbol sym = *loc.sym;
	struct hist_sample sample = { .thread = &one, .loc = &loc, .cpu = 1, .period = 1, .nr = 1 };
	struct hists hists;

	sym.name = name;
	loc.sym = &sym;
	fixture_init(&hists, (struct hist_opts){}, "sym,comm", NULL);
	assert_int_equal(hists__add(&hists, &sample), 0);
	assert_prints(&hists, opts, want);
}

static void long_texts_are_cut_in_the_middle(void **state)
{
	char name[201], row[256], want[1024];

	memset(name, 'x', 200);
	memcpy(name, "begin", 5);
	memcpy(name + 197, "end", 4);
	snprintf(row, sizeof(row), "[.] %.74s...%s", name, name + 161);
	assert_int_equal(strlen(row), HIST_TEXT_WIDTH);
	snprintf(want, sizeof(want), "   100.00%%  %s  one    \n", row);
	assert_prints_name(name, &(struct hist_stdio_opts){ .no_header = true }, want);
	snprintf(want, sizeof(want), "   100.00%%  [.] %s  one    \n", name);
	assert_prints_name(name, &(struct hist_stdio_opts){ .no_header = true, .full = true }, want);
	snprintf(want, sizeof(want), " 100.00%%,[.] %s,one    \n", name);
	assert_prints_name(name, &(struct hist_stdio_opts){ .no_header = true, .separator = "," }, want);
}

static void texts_are_narrow_on_a_terminal(void **state)
{
	const char *name = "begin of a name that is much too long for a terminal and has an end";

	assert_prints_name(name, &(struct hist_stdio_opts){ .no_header = true, .terminal_width = 40 },
			   "   100.00%  [.] begin ...an end  one    \n");
	assert_prints_name(name, &(struct hist_stdio_opts){ .no_header = true, .terminal_width = 10 },
			   "   100.00%  [.] be...end  one    \n");
}

static void the_mark_of_an_inlined_function_is_not_cut(void **state)
{
	struct location loc = fixture_location('a');
	struct symbol sym = *loc.sym;
	struct hist_sample sample = { .thread = &one, .loc = &loc, .cpu = 1, .period = 1, .nr = 1 };
	struct hists hists;

	sym.name = "compute_the_hash";
	sym.inlined = true;
	loc.sym = &sym;
	fixture_init(&hists, (struct hist_opts){}, "sym,comm", NULL);
	assert_int_equal(hists__add(&hists, &sample), 0);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true }, "   100.00%  [.] compute_the_hash (inlined)  one    \n");
}

static void unknown_places_are_shown_by_address(void **state)
{
	struct location loc = { .addr = 0x1234, .cpumode = PERF_RECORD_MISC_USER };
	struct hist_sample sample = { .thread = &one, .loc = &loc, .cpu = 3, .period = 1, .nr = 1 };
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, "dso,sym,pid,cpu", NULL);
	hists__add(&hists, &sample);
	assert_prints(&hists, &(struct hist_stdio_opts){},
		      "# Overhead  Shared Object     Symbol                      Pid:Command  CPU\n"
		      "# ........  ................  ......................  ...............  ...\n"
		      "#\n"
		      "   100.00%  [unknown]         [.] 0x0000000000001234        1:one      003\n");
	fixture_init(&hists, (struct hist_opts){ .dsos_chosen = true }, "dso,cpu", NULL);
	hists__add(&hists, &sample);
	assert_prints(&hists, &(struct hist_stdio_opts){},
		      "# Overhead  Shared Object  CPU\n"
		      "# ........  .............  ...\n"
		      "#\n"
		      "   100.00%  [unknown]      003\n");
}

/* As in perf: addresses are signed, so those of the kernel's half come first where the sums are the same. */
static void unknown_places_are_in_the_order_of_signed_addresses(void **state)
{
	static const u64 addr[] = { 0x1234, 0xffffffff81000000, 0x123 };
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, "sym", NULL);
	for (u32 i = 0; i < ARRAY_SIZE(addr); i++) {
		struct location loc = { .addr = addr[i], .cpumode = PERF_RECORD_MISC_USER };
		struct hist_sample sample = { .thread = &one, .loc = &loc, .period = 1, .nr = 1 };

		hists__add(&hists, &sample);
	}
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true },
		      "    33.33%  [.] 0xffffffff81000000\n"
		      "    33.33%  [.] 0x0000000000000123\n"
		      "    33.33%  [.] 0x0000000000001234\n");
}

/* As in perf; only symbols, code lines and the like are not. */
static void the_last_column_is_filled_with_blanks(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, "sym,comm", NULL);
	fixture_add(&hists, &one, "a", 3);
	fixture_add(&hists, &longer, "a", 1);
	assert_prints(&hists, &(struct hist_stdio_opts){},
		      "# Overhead  Symbol  Command    \n"
		      "# ........  ......  ...........\n"
		      "#\n"
		      "    75.00%  [.] a   one        \n"
		      "    25.00%  [.] a   longer-name\n");
	fixture_init(&hists, (struct hist_opts){}, "comm", NULL);
	fixture_add(&hists, &one, "a", 3);
	assert_prints(&hists, &(struct hist_stdio_opts){ .separator = ";", .no_header = true }, " 100.00%;one    \n");
}

static void keys_without_a_column_do_not_decide_the_order(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, "comm,sym", NULL);
	hist_layout__hide((struct hist_layout *)hists.opts.layout, "comm");
	fixture_add(&hists, &one, "a", 1);
	fixture_add(&hists, &one, "b", 1);
	fixture_add(&hists, &longer, "b", 1);
	fixture_add(&hists, &longer, "c", 1);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true },
		      "    25.00%  [.] a\n"
		      "    25.00%  [.] b\n"
		      "    25.00%  [.] b\n"
		      "    25.00%  [.] c\n");
}

static void own_columns_stand_in_the_order_given(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .children = true }, NULL, "sym,sample,period,overhead,overhead_children");
	fixture_add(&hists, &one, "a", 7);
	assert_prints(&hists, &(struct hist_stdio_opts){},
		      "# Symbol       Samples        Period  Overhead  Children\n"
		      "# ......  ............  ............  ........  ........\n"
		      "#\n"
		      "  [.] a              1             7   100.00%   100.00%\n");
}

static void entries_below_the_limit_are_left_out(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, "sym", NULL);
	fixture_add(&hists, &one, "a", 95);
	fixture_add(&hists, &one, "b", 5);
	assert_prints(&hists, &(struct hist_stdio_opts){ .min_percent = 5.1, .no_header = true }, "    95.00%  [.] a\n");
}

static void hierarchies_have_a_line_for_each_level(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, NULL, NULL);
	fixture_add(&hists, &one, "a", 30);
	fixture_add(&hists, &one, "b", 20);
	fixture_add(&hists, &one, "K", 40);
	fixture_add(&hists, &longer, "a", 10);
	assert_prints(&hists, &(struct hist_stdio_opts){ .hierarchy = true },
		      "#       Overhead  Command / Shared Object / Symbol\n"
		      "# ..............  ................................\n"
		      "#\n"
		      "    90.00%        one        \n"
		      "       50.00%        x                \n"
		      "          30.00%        [.] a\n"
		      "          20.00%        [.] b\n"
		      "       40.00%        [kernel.kallsyms]\n"
		      "          40.00%        [k] K\n"
		      "    10.00%        longer-name\n"
		      "       10.00%        x                \n"
		      "          10.00%        [.] a\n");
}

static void braces_join_levels(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, "{comm,dso},sym", NULL);
	fixture_add(&hists, &one, "a", 3);
	fixture_add(&hists, &one, "b", 1);
	assert_prints(&hists, &(struct hist_stdio_opts){ .hierarchy = true, .min_percent = 80 },
		      "#    Overhead  Command+Shared Object / Symbol\n"
		      "# ...........  ..............................\n"
		      "#\n"
		      "   100.00%     one      x            \n"
		      "                  no entry >= 80.00%\n");
}

static void groups_show_the_sums_of_all_members(void **state)
{
	struct hists leader, second;
	struct hists *members[] = { &leader, &second };

	fixture_init(&leader, (struct hist_opts){}, "sym", NULL);
	fixture_init(&second, (struct hist_opts){}, "sym", NULL);
	fixture_add(&leader, &one, "a", 3);
	fixture_add(&leader, &one, "b", 1);
	fixture_add(&second, &one, "c", 5);
	fixture_add(&second, &one, "b", 5);
	assert_int_equal(hists__group(members, 2, 0), 0);
	assert_prints(&leader, &(struct hist_stdio_opts){},
		      "#         Overhead  Symbol\n"
		      "# ................  ......\n"
		      "#\n"
		      "    75.00%   0.00%  [.] a\n"
		      "    25.00%  50.00%  [.] b\n"
		      "     0.00%  50.00%  [.] c\n");
	hists__exit(&second);
}

static void of_children_only_the_leaders_decide_the_order(void **state)
{
	struct hists leader, second;
	struct hists *members[] = { &leader, &second };
	struct hist_opts opts = { .children = true };

	fixture_init(&leader, opts, "sym", NULL);
	opts.layout = leader.opts.layout;
	leader.opts.shared = opts.shared = hist_shared__new(&opts);
	hists__init(&second, &opts);
	fixture_add(&leader, &one, "am", 1);
	fixture_add(&second, &one, "m", 1);
	fixture_add(&second, &one, "bm", 1);
	assert_int_equal(hists__group(members, 2, 0), 0);
	assert_prints(&leader, &(struct hist_stdio_opts){ .no_header = true },
		      "   100.00%   0.00%   100.00%   0.00%  [.] a\n"
		      "   100.00% 100.00%     0.00%  50.00%  [.] m\n"
		      "     0.00%  50.00%     0.00%  50.00%  [.] b\n");
	hists__exit(&second);
	hist_shared__delete(opts.shared);
}

static void groups_can_be_listed_by_another_member(void **state)
{
	struct hists leader, second;
	struct hists *members[] = { &leader, &second };

	fixture_init(&leader, (struct hist_opts){}, NULL, "overhead,sample,sym");
	fixture_init(&second, (struct hist_opts){}, NULL, "overhead,sample,sym");
	fixture_add(&leader, &one, "a", 3);
	fixture_add(&second, &one, "b", 5);
	assert_int_equal(hists__group(members, 2, 1), 0);
	assert_prints(&leader, &(struct hist_stdio_opts){ .no_header = true, .separator = "|" },
		      " 0.00% 100.00%  | 0 1                    |[.] b\n"
		      " 100.00% 0.00%  | 1 0                    |[.] a\n");
	hists__exit(&second);
}

/* Lines end in blanks where perf's do. */
static void callchains_are_drawn_as_a_tree(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, NULL, NULL);
	fixture_add(&hists, &one, "abm", 50);
	fixture_add(&hists, &one, "acdm", 30);
	fixture_add(&hists, &one, "acem", 20);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true },
		      "   100.00%  one      x              [.] a\n"
		      "            |\n"
		      "            ---a\n"
		      "               |          \n"
		      "               |--50.00%--c\n"
		      "               |          |          \n"
		      "               |          |--30.00%--d\n"
		      "               |          |          m\n"
		      "               |          |          \n"
		      "               |           --20.00%--e\n"
		      "               |                     m\n"
		      "               |          \n"
		      "                --50.00%--b\n"
		      "                          m\n"
		      "\n");
}

static void the_symbol_is_not_repeated_in_its_chain(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH }, "sym", NULL);
	fixture_add(&hists, &one, "abm", 1);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true, .skip_first_frame = true },
		      "   100.00%  [.] a\n"
		      "            |\n"
		      "            ---b\n"
		      "               m\n"
		      "\n");
}

static void fractal_percentages_are_of_the_branch_above(void **state)
{
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .chain_mode = HIST_CHAIN_FRACTAL, .chain_min_percent = 30 }, "sym", NULL);
	fixture_add(&hists, &one, "ab", 10);
	fixture_add(&hists, &one, "acd", 15);
	fixture_add(&hists, &one, "ace", 5);
	fixture_add(&hists, &one, "z", 70);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true, .min_percent = 1 },
		      "    70.00%  [.] z\n"
		      "            |\n"
		      "            ---z\n"
		      "\n"
		      "    30.00%  [.] a\n"
		      "            |\n"
		      "            ---a\n"
		      "               |          \n"
		      "               |--66.67%--c\n"
		      "               |          |          \n"
		      "               |          |--75.00%--d\n"
		      "               |           --25.00%--[...]\n"
		      "               |          \n"
		      "                --33.33%--b\n"
		      "\n");
}

static void setup_two_chains(struct hists *hists, struct hist_opts opts)
{
	fixture_init(hists, opts, "sym", NULL);
	fixture_add(hists, &one, "abm", 50);
	fixture_add(hists, &one, "abm", 10);
	fixture_add(hists, &one, "ac", 30);
	fixture_add(hists, &one, "a", 10);
}

static void chains_are_listed_whole(void **state)
{
	struct hist_opts opts = { .chain_mode = HIST_CHAIN_FLAT };
	struct hists hists;

	setup_two_chains(&hists, opts);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true },
		      "   100.00%  [.] a\n"
		      "           60.00%\n                a\n                b\n                m\n\n"
		      "           30.00%\n                a\n                c\n\n"
		      "           100.00%\n                a\n\n"); /* with those that go on */
	opts = (struct hist_opts){ .chain_mode = HIST_CHAIN_FOLDED, .chain_min_percent = 20 };
	setup_two_chains(&hists, opts);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true },
		      "   100.00%  [.] a\n"
		      "60.00% a;b;m\n"
		      "30.00% a;c\n");
}

static void branches_show_counts_or_periods(void **state)
{
	struct hist_opts opts = { .chain_mode = HIST_CHAIN_FOLDED, .chain_value = HIST_CHAIN_COUNT };
	struct hists hists;

	setup_two_chains(&hists, opts);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true }, "   100.00%  [.] a\n2 a;b;m\n1 a;c\n1 a\n");
	opts = (struct hist_opts){ .chain_mode = HIST_CHAIN_GRAPH, .chain_value = HIST_CHAIN_PERIOD, .chain_min_percent = 40 };
	setup_two_chains(&hists, opts);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true },
		      "   100.00%  [.] a\n"
		      "            |\n"
		      "            ---a\n"
		      "               |          \n"
		      "                --60--b\n"
		      "                          m\n"
		      "\n");
}

/* Numbers stand at the left then, behind one blank, and what looks like a separator is none. */
static void separators_take_the_place_of_blanks(void **state)
{
	struct thread odd = { .pid = 1, .tid = 1, .comm = "a;b" };
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){}, NULL, "overhead,sample,comm,sym");
	fixture_add(&hists, &odd, "a", 3);
	assert_prints(&hists, &(struct hist_stdio_opts){ .separator = ";" },
		      "# Overhead;     Samples;Command;Symbol\n"
		      " 100.00%; 1          ;a.b    ;[.] a\n");
}

static void hidden_samples_count_in_the_whole(void **state)
{
	struct location loc = fixture_location('b');
	struct hist_sample hidden = { .thread = &one, .loc = &loc, .period = 6, .nr = 1 };
	struct hists hists;

	fixture_init(&hists, (struct hist_opts){ .symbol_filter = "a" }, "sym", NULL);
	fixture_add(&hists, &one, "a", 3);
	fixture_add(&hists, &one, "b", 3);
	hists__count_hidden(&hists, &hidden);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true }, "    25.00%  [.] a\n");
	fixture_init(&hists, (struct hist_opts){ .symbol_filter = "a", .relative = true }, "sym", NULL);
	fixture_add(&hists, &one, "a", 3);
	fixture_add(&hists, &one, "b", 3);
	hists__count_hidden(&hists, &hidden);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true }, "   100.00%  [.] a\n");
}

/* With --percentage relative, the whole is what is shown, also of the latency. */
static void shares_may_be_of_what_is_shown(void **state)
{
	struct location loc = fixture_location('b');
	struct hist_sample hidden = { .thread = &one, .loc = &loc, .period = 6, .nr = 1 };
	struct hists hists;

	for (u32 relative = 0; relative < 2; relative++) {
		fixture_init(&hists, (struct hist_opts){ .relative = relative }, NULL, "overhead,latency,sym");
		fixture_add(&hists, &one, "a", 3);
		fixture_add(&hists, &one, "b", 1);
		hists__count_hidden(&hists, &hidden);
		assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true, .separator = ";" },
			      relative ? " 75.00% ; 75.00% ;[.] a\n 25.00% ; 25.00% ;[.] b\n" : " 30.00% ; 30.00% ;[.] a\n 10.00% ; 10.00% ;[.] b\n");
	}
	fixture_init(&hists, (struct hist_opts){ .symbol_filter = "a", .relative = true }, NULL, "overhead,latency,sym");
	fixture_add(&hists, &one, "a", 3);
	fixture_add(&hists, &one, "b", 1);
	assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true, .separator = ";" }, " 100.00%; 100.00%;[.] a\n");
}

/* With and without callchains to show: one entry, and samples without any frames. */
static void each_mode_has_its_share(void **state)
{
	struct location user = fixture_location('a'), kernel = fixture_location('A');
	struct hist_sample sample = { .thread = &one, .nr = 1 };
	struct hists hists;

	for (u32 chains = 0; chains < 2; chains++) {
		fixture_init(&hists, (struct hist_opts){ .chain_mode = chains ? HIST_CHAIN_GRAPH : HIST_CHAIN_NONE }, NULL,
			     "overhead,overhead_us,overhead_sys,comm");
		sample.loc = &user;
		sample.period = 3;
		assert_int_equal(hists__add(&hists, &sample), 0);
		sample.loc = &kernel;
		sample.period = 1;
		assert_int_equal(hists__add(&hists, &sample), 0);
		assert_prints(&hists, &(struct hist_stdio_opts){ .no_header = true, .separator = ";" }, " 100.00%; 75.00% ; 25.00% ;one    \n");
	}
}

static void counts_get_units(void **state)
{
	char unit;

	assert_int_equal(count_in_units(1000, &unit), 1000);
	assert_int_equal(unit, ' ');
	assert_int_equal(count_in_units(12345, &unit), 12);
	assert_int_equal(unit, 'K');
	assert_int_equal(count_in_units(UINT64_MAX, &unit), UINT64_MAX / 1000000000);
	assert_int_equal(unit, 'G');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
		cmocka_unit_test(long_texts_are_cut_in_the_middle),
		cmocka_unit_test(texts_are_narrow_on_a_terminal),
		cmocka_unit_test(the_mark_of_an_inlined_function_is_not_cut),
		cmocka_unit_test(unknown_places_are_shown_by_address),
		cmocka_unit_test(unknown_places_are_in_the_order_of_signed_addresses),
		cmocka_unit_test(the_last_column_is_filled_with_blanks),
		cmocka_unit_test(keys_without_a_column_do_not_decide_the_order),
		cmocka_unit_test(own_columns_stand_in_the_order_given),
		cmocka_unit_test(entries_below_the_limit_are_left_out),
		cmocka_unit_test(hierarchies_have_a_line_for_each_level),
		cmocka_unit_test(braces_join_levels),
		cmocka_unit_test(groups_show_the_sums_of_all_members),
		cmocka_unit_test(of_children_only_the_leaders_decide_the_order),
		cmocka_unit_test(groups_can_be_listed_by_another_member),
		cmocka_unit_test(callchains_are_drawn_as_a_tree),
		cmocka_unit_test(the_symbol_is_not_repeated_in_its_chain),
		cmocka_unit_test(fractal_percentages_are_of_the_branch_above),
		cmocka_unit_test(chains_are_listed_whole),
		cmocka_unit_test(branches_show_counts_or_periods),
		cmocka_unit_test(separators_take_the_place_of_blanks),
		cmocka_unit_test(hidden_samples_count_in_the_whole),
		cmocka_unit_test(shares_may_be_of_what_is_shown),
		cmocka_unit_test(each_mode_has_its_share),
		cmocka_unit_test(counts_get_units),
	};

	return cmocka_run_group_tests_name("ui/report/stdio", tests, NULL, NULL);
}
