// SPDX-License-Identifier: GPL-2.0
#include "util/event/evsel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct evlist *parse(const char *spec)
{
	struct evlist *evlist = evlist__new();
	struct errmsg err;

	if (evlist__parse(evlist, spec, NULL, &err))
		fail_msg("%s: %s", spec, err.text);
	return evlist;
}

static void default_is_cycles(void **state)
{
	struct evlist *evlist = evlist__new();
	struct errmsg err;

	assert_int_equal(evlist__add_default(evlist, &err), 0);
	assert_int_equal(evlist->nr, 1);
	assert_string_equal(evlist->evsel[0]->name, "cycles:P");
	assert_true(evlist->evsel[0]->precise_max);
	evlist__delete(evlist);
}

static void cycles_fall_back(void **state)
{
	static const struct {
		const char *spec, *name;
	} cases[] = {
		{ "cycles", "cpu-clock" },
		{ "cpu-cycles", "cpu-clock" },
		{ "cycles:P", "cpu-clock" },
		{ "cycles:u", "cpu-clock:u" },
		{ "cpu-cycles:ppk", "cpu-clock:k" },
		{ "cycles:uPH", "cpu-clock:uH" },
		{ "cycles/period=5/up", "cpu-clock/period=5/u" },
		{ "cycles//", "cpu-clock//" },
		{ "cycles/name=cycles:p/u", "cycles:p" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist *evlist = parse(cases[i].spec);
		struct evsel *evsel = evlist->evsel[0];
		struct perf_event_attr before = evsel->attr;

		assert_true(evsel__fall_back_to_cpu_clock(evsel));
		assert_string_equal(evsel->name, cases[i].name);
		assert_int_equal(evsel->attr.type, PERF_TYPE_SOFTWARE);
		assert_int_equal(evsel->attr.config, PERF_COUNT_SW_CPU_CLOCK);
		assert_int_equal(evsel->attr.precise_ip, 0);
		assert_false(evsel->precise_max);
		before.type = PERF_TYPE_SOFTWARE;
		before.precise_ip = 0;
		assert_memory_equal(&before, &evsel->attr, sizeof(before));
		evlist__delete(evlist);
	}
}

static void others_do_not_fall_back(void **state)
{
	struct evlist *evlist = parse("instructions:u,cpu-clock,r0,L1-dcache");

	for (unsigned int i = 0; i < evlist->nr; i++)
		assert_false(evsel__fall_back_to_cpu_clock(evlist->evsel[i]));
	assert_string_equal(evlist->evsel[0]->name, "instructions:u");
	evlist__delete(evlist);
}

static void filters_are_kept_one_by_one(void **state)
{
	struct evlist *evlist = parse("cpu-clock,cpu-clock");
	struct evsel *evsel = evlist->evsel[0], *other = evlist->evsel[1];

	assert_int_equal(evsel__add_filter(evsel, "filter", "tid == 1, cpu == 2", NULL), 0);
	assert_string_equal(evsel->filter, "tid == 1, cpu == 2");
	assert_int_equal(evsel__add_filter(evsel, "-u", "a) || (b", NULL), 0);
	assert_int_equal(evsel->nr_filters, 2);
	assert_string_equal(evsel->filters[0].text, "tid == 1, cpu == 2");
	assert_string_equal(evsel->filters[1].option, "-u");
	assert_string_equal(evsel->filters[1].text, "a) || (b");
	assert_int_equal(evsel__copy_filters(other, evsel, NULL), 0);
	assert_int_equal(other->nr_filters, 2);
	assert_string_equal(other->filter, evsel->filter);
	evsel__drop_filters(other);
	assert_null(other->filter);
	assert_int_equal(other->nr_filters, 0);
	evlist__delete(evlist);
}

static void check_cgroups(const char *list, const char *filter)
{
	struct evsel *evsel = evsel__new(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct errmsg err;

	assert_non_null(evsel);
	assert_int_equal(evsel__add_cgroups(evsel, list, &err), 0);
	assert_int_equal(evsel->nr_filters, 1);
	assert_string_equal(evsel->filters[0].option, "-G");
	assert_string_equal(evsel->filters[0].text, filter);
	evsel__delete(evsel);
}

static void cgroups_are_paths_below_their_mount(void **state)
{
	check_cgroups("a", "cgroup in \"/a\"");
	check_cgroups("/a/b", "cgroup in \"/a/b\"");
	check_cgroups("//a,b", "cgroup in \"/a\" || cgroup in \"/b\"");
	check_cgroups("/", "cgroup in \"/\"");
	check_cgroups("/,a", "cgroup in \"/\" || cgroup in \"/a\"");
	/* An empty name after others must not mean all cgroups. */
	check_cgroups("a,", "cgroup in \"/a\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_is_cycles),
		cmocka_unit_test(cycles_fall_back),
		cmocka_unit_test(others_do_not_fall_back),
		cmocka_unit_test(filters_are_kept_one_by_one),
		cmocka_unit_test(cgroups_are_paths_below_their_mount),
	};

	return cmocka_run_group_tests_name("event/evsel", tests, NULL, NULL);
}
