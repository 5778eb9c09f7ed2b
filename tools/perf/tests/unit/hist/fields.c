// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "util/hist/fields.h"

static const char letters[HIST_NR_FIELDS] = {
	[HIST_OVERHEAD] = 'o', [HIST_OVERHEAD_CHILDREN] = 'O', [HIST_SAMPLE] = 'n', [HIST_PERIOD] = 'p', [HIST_COMM] = 'c',
	[HIST_DSO] = 'd',      [HIST_SYM] = 's',		[HIST_PID] = 't',    [HIST_CPU] = 'u',	  [HIST_TRACE] = 'T',
};

static void assert_list(const struct hist_field_list *list, const char *want)
{
	char got[HIST_NR_FIELDS + 1] = "";

	for (u32 i = 0; i < list->nr; i++)
		got[i] = letters[list->field[i]];
	assert_string_equal(got, want);
}

static void check(const struct hist_layout_opts *opts, const char *columns, const char *sort)
{
	struct hist_layout_opts o = *opts;
	struct hist_layout layout;
	struct errmsg err;

	o.default_sort = "comm,dso,symbol";
	assert_int_equal(hist_layout__init(&layout, &o, &err), 0);
	assert_list(&layout.columns, columns);
	assert_list(&layout.sort, sort);
}

#define OPTS(...) (&(struct hist_layout_opts){ __VA_ARGS__ })

static void defaults_put_the_percentages_first(void **state)
{
	check(OPTS(0), "ocds", "ocds");
	check(OPTS(.children = true), "Oocds", "Oocds");
	check(OPTS(.show_samples = true, .show_period = true), "onpcds", "ocdsnp");
}

static void sort_chooses_the_keys(void **state)
{
	check(OPTS(.sort = "sym"), "os", "os");
	check(OPTS(.sort = "pid, cpu,tid", .children = true), "Ootu", "Ootu");
	check(OPTS(.sort = "symbol,overhead"), "os", "so");
}

/* With -F the columns are exactly those, and the first decides first. */
static void fields_replace_the_columns(void **state)
{
	check(OPTS(.fields = "comm,overhead"), "co", "co");
	check(OPTS(.fields = "comm,overhead", .children = true, .show_samples = true), "co", "co");
	check(OPTS(.fields = "comm,sample", .sort = "sym"), "cns", "scn");
}

static void unknown_keys_are_named(void **state)
{
	struct hist_layout_opts opts = { .sort = "comm,foo", .default_sort = "comm" };
	struct hist_layout layout;
	struct errmsg err;

	assert_int_equal(hist_layout__init(&layout, &opts, &err), -EINVAL);
	assert_non_null(strstr(err.text, "Unknown --sort key: `foo'"));
	assert_non_null(strstr(err.text, "overhead_children"));
	opts = (struct hist_layout_opts){ .fields = "com", .default_sort = "comm" };
	assert_int_equal(hist_layout__init(&layout, &opts, &err), -EINVAL);
	assert_non_null(strstr(err.text, "Unknown --fields key: `com'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_put_the_percentages_first),
		cmocka_unit_test(sort_chooses_the_keys),
		cmocka_unit_test(fields_replace_the_columns),
		cmocka_unit_test(unknown_keys_are_named),
	};

	return cmocka_run_group_tests_name("hist/fields", tests, NULL, NULL);
}
