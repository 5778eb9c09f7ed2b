// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/hist/fixture.h"

#include <stdio.h>

#include "ui/report/columns.h"
#include "util/hist/compare.h"
#include "util/hist/group.h"

static const struct thread one = { .pid = 1, .tid = 1, .comm = "one" };

struct files {
	struct hist_comparison comparison;
	struct hist_layout layout;
	struct hists hists[3];
};

static void init(struct files *f, const struct hist_comparison *comparison)
{
	struct hist_opts opts = { .layout = &f->layout, .comparison = &f->comparison };
	struct errmsg err;

	f->comparison = *comparison;
	assert_int_equal(hist_layout__init(&f->layout, &(struct hist_layout_opts){ .default_sort = "symbol", .comparison = &f->comparison }, &err), 0);
	for (u32 i = 0; i < comparison->nr_files; i++)
		hists__init(&f->hists[i], &opts);
}

static void exit_all(struct files *f)
{
	for (u32 i = 0; i < f->comparison.nr_files; i++)
		hists__exit(&f->hists[i]);
}

static void join(struct files *f)
{
	struct hists *hists[3];

	for (u32 i = 0; i < f->comparison.nr_files; i++) {
		hists[i] = &f->hists[i];
		assert_int_equal(hists__join_names(hists[i]), 0);
	}
	assert_int_equal(hists__group(hists, f->comparison.nr_files, 0), 0);
	assert_int_equal(hists__sort(hists[0]), 0);
}

/* The rows as text, with ',' between the columns and blanks between rows */
static void assert_rows(const struct files *f, const char *want)
{
	const struct hists *hists = &f->hists[0];
	char got[1024] = "", cell[256];

	for (u32 i = 0; i < hists->nr_entries; i++) {
		for (u32 c = 0; c < f->layout.columns.nr; c++) {
			hist_entry__cell(cell, sizeof(cell), hists->entry[i], &f->layout.columns.at[c], 0);
			sprintf(got + strlen(got), "%s%s", c ? "," : i ? ";" : "", cell);
		}
	}
	assert_string_equal(got, want);
}

static void titles_name_the_file_if_there_are_more_than_two(void **state)
{
	struct files f;

	init(&f, &(struct hist_comparison){ .nr_files = 2, .order = 1, .show_period = true, .show_formula = true });
	assert_int_equal(f.layout.columns.nr, 6);
	assert_string_equal(hist_column__title(&f.hists[0], &f.layout.columns.at[1]), "Base period");
	assert_string_equal(hist_column__title(&f.hists[0], &f.layout.columns.at[2]), "Delta Abs");
	assert_string_equal(hist_column__title(&f.hists[0], &f.layout.columns.at[3]), "Formula");
	exit_all(&f);
	init(&f, &(struct hist_comparison){ .nr_files = 3, .order = 1, .compute = HIST_COMPUTE_RATIO });
	assert_int_equal(f.layout.columns.nr, 4);
	assert_string_equal(hist_column__title(&f.hists[0], &f.layout.columns.at[2]), "Ratio/2");
	exit_all(&f);
}

static void add_two(struct files *f)
{
	fixture_add(&f->hists[0], &one, "a", 60);
	fixture_add(&f->hists[0], &one, "b", 30);
	fixture_add(&f->hists[0], &one, "c", 10);
	fixture_add(&f->hists[1], &one, "a", 10);
	fixture_add(&f->hists[1], &one, "b", 20);
	fixture_add(&f->hists[1], &one, "d", 20);
	join(f);
}

static void percentages_are_compared(void **state)
{
	struct files f;

	init(&f, &(struct hist_comparison){ .nr_files = 2, .order = 1 });
	add_two(&f);
	/* those that are not in the file come last */
	assert_rows(&f, "60.00,-40.00%,[.] a; ,+40.00%,[.] d;30.00,+10.00%,[.] b;10.00, ,[.] c");
	exit_all(&f);
	init(&f, &(struct hist_comparison){ .nr_files = 2, .order = 1, .compute = HIST_COMPUTE_DELTA });
	add_two(&f);
	assert_rows(&f, " ,+40.00%,[.] d;30.00,+10.00%,[.] b;60.00,-40.00%,[.] a;10.00, ,[.] c");
	exit_all(&f);
	init(&f, &(struct hist_comparison){ .nr_files = 2, .order = 0 });
	add_two(&f);
	assert_rows(&f, "60.00,-40.00%,[.] a;30.00,+10.00%,[.] b;10.00, ,[.] c; ,+40.00%,[.] d");
	exit_all(&f);
}

static void periods_are_compared_where_both_have_them(void **state)
{
	struct files f;

	init(&f, &(struct hist_comparison){ .nr_files = 2, .order = 1, .compute = HIST_COMPUTE_RATIO, .show_formula = true });
	add_two(&f);
	assert_rows(&f, "30.00,      0.666667,20 / 30,[.] b;60.00,      0.166667,10 / 60,[.] a; ,N/A,20 / 0,[.] d;10.00, , ,[.] c");
	exit_all(&f);
	init(&f, &(struct hist_comparison){ .nr_files = 2, .order = 1, .compute = HIST_COMPUTE_WDIFF, .base_weight = 2, .file_weight = 5 });
	add_two(&f);
	assert_rows(&f, "30.00,            40,[.] b;60.00,           -70,[.] a; ,N/A,[.] d;10.00, ,[.] c");
	exit_all(&f);
}

static void a_file_in_the_middle_may_lack_all(void **state)
{
	struct files f;

	init(&f, &(struct hist_comparison){ .nr_files = 3, .order = 2, .show_period = true });
	fixture_add(&f.hists[0], &one, "a", 1);
	fixture_add(&f.hists[2], &one, "a", 3);
	fixture_add(&f.hists[2], &one, "b", 1);
	join(&f);
	assert_rows(&f, "100.00,1, , ,-25.00%,3,[.] a; ,0, , ,+25.00%,1,[.] b");
	exit_all(&f);
}

static void rows_that_only_one_has_can_be_left_out(void **state)
{
	struct files f;

	init(&f, &(struct hist_comparison){ .nr_files = 2, .order = 1 });
	add_two(&f);
	hists__keep_matched(&f.hists[0]);
	/* the baseline's percentages are of what is left, as in perf; differences are of all */
	assert_rows(&f, "66.67,-40.00%,[.] a;33.33,+10.00%,[.] b");
	exit_all(&f);
	init(&f, &(struct hist_comparison){ .nr_files = 2, .order = 1, .show_formula = true });
	add_two(&f);
	hists__keep_matched(&f.hists[0]);
	assert_rows(&f, "66.67,-40.00%,(10 * 100 / 50) - (60 * 100 / 90),[.] a;33.33,+10.00%,(20 * 100 / 50) - (30 * 100 / 90),[.] b");
	exit_all(&f);
}

/* The same function elsewhere in a program that was built anew, and code without a name */
static void functions_are_the_same_by_name(void **state)
{
	static struct dso user = { .name = (char *)"/bin/x", .short_name = (char *)"x" }, anew = { .name = (char *)"/new/x", .short_name = (char *)"x" };
	static struct symbol here = { .start = 10, .end = 20, .name = "f" }, there = { .start = 500, .end = 600, .name = "f" };
	static const struct {
		u32 file;
		struct location loc;
	} samples[] = {
		{ 0, { .addr = 11, .cpumode = PERF_RECORD_MISC_USER, .dso = &user, .sym = &here } },
		{ 0, { .addr = 30, .cpumode = PERF_RECORD_MISC_USER, .dso = &user } },
		{ 0, { .addr = 40, .cpumode = PERF_RECORD_MISC_USER, .dso = &user } },
		{ 1, { .addr = 511, .cpumode = PERF_RECORD_MISC_USER, .dso = &anew, .sym = &there } },
		{ 1, { .addr = 700, .cpumode = PERF_RECORD_MISC_USER, .dso = &anew } },
	};
	struct files f;

	init(&f, &(struct hist_comparison){ .nr_files = 2, .order = 0 });
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct hist_sample sample = { .thread = &one, .loc = &samples[i].loc, .cpu = 1, .period = 10, .nr = 1 };

		assert_int_equal(hists__add(&f.hists[samples[i].file], &sample), 0);
	}
	join(&f);
	assert_rows(&f, "66.67,-16.67%,[.] 0x000000000000001e;33.33,+16.67%,[.] f");
	exit_all(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(titles_name_the_file_if_there_are_more_than_two),
		cmocka_unit_test(percentages_are_compared),
		cmocka_unit_test(periods_are_compared_where_both_have_them),
		cmocka_unit_test(a_file_in_the_middle_may_lack_all),
		cmocka_unit_test(rows_that_only_one_has_can_be_left_out),
		cmocka_unit_test(functions_are_the_same_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
