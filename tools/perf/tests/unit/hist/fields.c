// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "util/hist/fields.h"
#include "util/symbol/data-type.h"

static char letter(const struct hist_column *column)
{
	static const struct {
		const char *name;
		char letter;
	} letters[] = {
		{ "overhead", 'o' }, { "overhead_children", 'O' }, { "sample", 'n' }, { "period", 'p' }, { "comm", 'c' },
		{ "dso", 'd' }, { "symbol", 's' }, { "pid", 't' }, { "cpu", 'u' }, { "trace", 'T' }, { "(field)", 'f' },
	};

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
		if (!strcmp(letters[i].name, column->key->name))
			return letters[i].letter;
	}
	return '?';
}

static void assert_list(const struct hist_column_list *list, const char *want)
{
	char got[HIST_MAX_COLUMNS + 1] = "";

	for (u32 i = 0; i < list->nr; i++)
		got[i] = letter(&list->at[i]);
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

static void lists_are_added_to(void **state)
{
	check(OPTS(.sort = "+cpu"), "ocdsu", "ocdsu");
	check(OPTS(.fields = "+sample"), "oncds", "ocdsn");
	check(OPTS(.fields = "+sample", .sort = "+pid,comm", .children = true), "Ooncdst", "Oocdstn");
}

static int known_field(void *data, const char *event, const char *field)
{
	if (strcmp(field, "count") || (*event && strcmp(event, "sys:name")))
		return -1;
	return data ? 7 : -1;
}

static void fields_of_tracepoints_are_columns(void **state)
{
	struct hist_layout_opts opts = { .sort = "count,comm,sys:name.count", .default_sort = "comm", .field_width = known_field,
					 .data = &opts };
	struct hist_layout layout;
	struct errmsg err;

	assert_int_equal(hist_layout__init(&layout, &opts, &err), 0);
	assert_list(&layout.sort, "ofcf");
	assert_string_equal(layout.sort.at[1].field, "count");
	assert_string_equal(layout.sort.at[3].event, "sys:name");
	assert_int_equal(layout.sort.at[1].width, 7);
	assert_int_equal(layout.nr_values, 2);
	opts.data = NULL;
	hist_layout__drop_fields(&layout, &opts);
	assert_list(&layout.sort, "oc");
	assert_list(&layout.columns, "oc");
	opts.sort = "comm,other:name.count";
	assert_int_equal(hist_layout__init(&layout, &opts, &err), -EINVAL);
}

static void keys_of_memory_need_its_mode(void **state)
{
	struct hist_layout_opts opts = { .sort = "comm,mem", .default_sort = "comm" };
	struct hist_layout layout;
	struct errmsg err;

	assert_int_equal(hist_layout__init(&layout, &opts, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--mem-mode"));
	opts.memory = true;
	assert_int_equal(hist_layout__init(&layout, &opts, &err), 0);
}

static void data_types_need_a_known_machine(void **state)
{
	static const char *const keys[] = { "type", "typeoff", "comm,typecln" };
	struct hist_layout_opts opts = { .default_sort = "comm" };
	struct hist_layout layout;
	struct errmsg err;

	if (!data_types__available())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		opts.sort = keys[i];
		opts.arch = "aarch64";
		assert_int_equal(hist_layout__init(&layout, &opts, &err), -EINVAL);
		assert_non_null(strstr(err.text, "recorded on aarch64"));
		opts.arch = "x86_64";
		assert_int_equal(hist_layout__init(&layout, &opts, &err), 0);
		opts.arch = NULL;
		assert_int_equal(hist_layout__init(&layout, &opts, &err), 0);
	}
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
		cmocka_unit_test(lists_are_added_to),
		cmocka_unit_test(fields_of_tracepoints_are_columns),
		cmocka_unit_test(keys_of_memory_need_its_mode),
		cmocka_unit_test(data_types_need_a_known_machine),
		cmocka_unit_test(unknown_keys_are_named),
	};

	return cmocka_run_group_tests_name("hist/fields", tests, NULL, NULL);
}
