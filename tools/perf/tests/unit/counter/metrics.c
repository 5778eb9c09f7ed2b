// SPDX-License-Identifier: GPL-2.0
#include "util/counter/metrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct counter_groups groups = { .nr = 1 };

static struct counter_cells count(const char *spec, const double *values)
{
	struct evlist *evlist = evlist__new();
	struct counter_cells cells;

	assert_int_equal(evlist__parse(evlist, spec, NULL, NULL), 0);
	assert_int_equal(counter_cells__init(&cells, evlist, &groups), 0);
	for (unsigned int i = 0; i < evlist->nr; i++) {
		cells.cell[i].state = values[i] < 0 ? COUNTER_NOT_COUNTED : COUNTER_COUNTED;
		stats__add(&cells.cell[i].value, values[i]);
	}
	return cells;
}

static void discard(struct counter_cells *cells)
{
	evlist__delete((struct evlist *)cells->evlist);
	counter_cells__exit(cells);
}

/* name NULL: there is none */
static void check(const char *spec, const double *values, unsigned int event, const char *unit, double value)
{
	struct counter_cells cells = count(spec, values);
	struct counter_metric metric;
	const bool found = counter_metric__find(&cells, event, 0, 2e9, &metric);

	assert_int_equal(found, unit != NULL);
	if (found) {
		assert_string_equal(metric.unit, unit);
		assert_true(fabs(metric.value - value) < 1e-6);
	}
	discard(&cells);
}

static void counts_are_divided(void **state)
{
	check("task-clock", (double[]){ 1e9 }, 0, "CPUs", 0.5);
	check("cs,task-clock", (double[]){ 10, 5e8 }, 0, "cs/sec", 20);
	check("instructions,cycles", (double[]){ 30, 20 }, 0, "instructions", 1.5);
	check("cycles,task-clock", (double[]){ 3e9, 1e9 }, 0, "GHz", 3);
	check("branches,branch-misses", (double[]){ 200, 5 }, 1, "%", 2.5);
	check("L1-dcache-loads,L1-dcache-load-misses", (double[]){ 50, 5 }, 1, "%", 10);
	check("minor-faults,cpu-clock", (double[]){ 5000, 1e9 }, 0, "K/sec", 5);
}

static void nothing_is_divided_by_what_is_not_there(void **state)
{
	check("cs", (double[]){ 10 }, 0, NULL, 0);
	check("cs,task-clock", (double[]){ 10, 0 }, 0, NULL, 0);
	check("cs,task-clock", (double[]){ 10, -1 }, 0, NULL, 0);
	check("cs,task-clock", (double[]){ -1, 1e9 }, 0, NULL, 0);
	check("instructions,cycles", (double[]){ 0, 0 }, 0, NULL, 0);
	check("instructions:u,cycles:k", (double[]){ 30, 20 }, 0, NULL, 0);
	check("instructions:u,cycles:u", (double[]){ 30, 20 }, 0, "instructions", 1.5);
}

static bool is_divided(const struct counter_cells *cells)
{
	struct counter_metric metric;

	return counter_metric__find(cells, 0, 0, 2e9, &metric) && !strcmp(metric.name, "insn_per_cycle");
}

/* On a hybrid machine the upper half of the config names the PMU. */
static void counts_of_another_cgroup_or_pmu_divide_nothing(void **state)
{
	struct counter_cells cells = count("instructions,cycles", (double[]){ 30, 20 });
	struct evsel *instructions = cells.evlist->evsel[0], *cycles = cells.evlist->evsel[1];
	char *const cgroups[] = { instructions->cgroup, cycles->cgroup };

	assert_true(is_divided(&cells));
	instructions->cgroup = "/a";
	assert_false(is_divided(&cells));
	cycles->cgroup = "/b";
	assert_false(is_divided(&cells));
	cycles->cgroup = "/a";
	assert_true(is_divided(&cells));
	instructions->attr.config |= 4ULL << 32;
	assert_false(is_divided(&cells));
	cycles->attr.config |= 10ULL << 32;
	assert_false(is_divided(&cells));
	cycles->attr.config = instructions->attr.config & 4ULL << 32;
	assert_true(is_divided(&cells));
	instructions->cgroup = cgroups[0];
	cycles->cgroup = cgroups[1];
	discard(&cells);
}

static void each_metric_names_events_that_give_it(void **state)
{
	char events[160];

	for (unsigned int i = 0; counter_metric__name(i); i++) {
		const char *spec = counter_metric__events(counter_metric__name(i), "task-clock", events, sizeof(events));
		struct counter_cells cells = count(spec, (double[]){ 1e6, 1e6 });
		struct counter_metric metric;
		bool found = false;

		for (unsigned int e = 0; e < cells.evlist->nr; e++)
			found |= counter_metric__find(&cells, e, 0, 1e9, &metric) && !strcmp(metric.name, counter_metric__name(i));
		assert_true(found);
		discard(&cells);
	}
	assert_null(counter_metric__events("tma_retiring", "task-clock", events, sizeof(events)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_divided),
		cmocka_unit_test(nothing_is_divided_by_what_is_not_there),
		cmocka_unit_test(counts_of_another_cgroup_or_pmu_divide_nothing),
		cmocka_unit_test(each_metric_names_events_that_give_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
