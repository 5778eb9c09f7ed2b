// SPDX-License-Identifier: GPL-2.0
/* Lines of perf stat for scripts: each field has its own number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ui/stat/output.h"

static struct counter_group group[] = { { .name = "S1", .cpu = -1 } };

/* Two runs: 9,000 and 11,000 faults, 2 and 4 s of the clock, of 5 counters, which had a turn for 3/4 of the time. What is printed; the caller frees it. */
static char *printed(const struct stat_output_opts *wanted, enum counter_by by)
{
	const struct counter_groups groups = { .by = by, .nr = 1, .group = group };
	const double values[2][2] = { { 9000, 11000 }, { 2e9, 4e9 } };
	struct evlist *evlist = evlist__new();
	struct stat_output_opts opts = *wanted;
	struct counter_cells cells;
	struct stat_output *out;
	char *text = NULL;
	size_t size;

	assert_int_equal(evlist__parse(evlist, "minor-faults,task-clock", NULL, NULL), 0);
	assert_int_equal(counter_cells__init(&cells, evlist, &groups), 0);
	for (unsigned int i = 0; i < 2; i++) {
		cells.cell[i] = (struct counter_cell){ .state = COUNTER_COUNTED, .nr = 5, .enabled = 8000, .running = 6000 };
		for (unsigned int k = 0; k < 2; k++)
			stats__add(&cells.cell[i].value, values[i][k]);
	}
	opts.fp = open_memstream(&text, &size);
	assert_non_null(opts.fp);
	out = stat_output__new(&opts, &groups);
	assert_non_null(out);
	stat_output__cells(out, &cells, 6e9, &(struct stat_interval){ 0 });
	stat_output__delete(out);
	fclose(opts.fp);
	counter_cells__exit(&cells);
	evlist__delete(evlist);
	return text;
}

static void check(const struct stat_output_opts *opts, enum counter_by by, const char *wanted)
{
	char *text = printed(opts, by);

	assert_string_equal(text, wanted);
	free(text);
}

/* The noise is in percent of the mean, the time is that of one run, and the rate has its unit. */
static void csv(void **state)
{
	check(&(struct stat_output_opts){ .separator = ";", .nr_runs = 2 }, COUNTER_BY_NONE,
	      "10000;;minor-faults;10.00%;3000;75.00;3.333;K/sec\n"
	      "3000.00;msec;task-clock;33.33%;3000;75.00;0.500;CPUs  CPUs_utilized\n");
	check(&(struct stat_output_opts){ .separator = ";" }, COUNTER_BY_SOCKET,
	      "S1;5;10000;;minor-faults;3000;75.00;3.333;K/sec\n"
	      "S1;5;3000.00;msec;task-clock;3000;75.00;0.500;CPUs  CPUs_utilized\n");
}

static void json(void **state)
{
	check(&(struct stat_output_opts){ .json = true, .nr_runs = 2 }, COUNTER_BY_SOCKET,
	      "{\"socket\" : \"S1\", \"counters\" : 5, \"counter-value\" : \"10000.000000\", \"unit\" : \"\", \"event\" : \"minor-faults\", "
	      "\"variance\" : 10.00, \"event-runtime\" : 3000, \"pcnt-running\" : 75.00, \"metric-value\" : \"3.333333\", "
	      "\"metric-unit\" : \"K/sec\"}\n"
	      "{\"socket\" : \"S1\", \"counters\" : 5, \"counter-value\" : \"3000.000000\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
	      "\"variance\" : 33.33, \"event-runtime\" : 3000, \"pcnt-running\" : 75.00, \"metric-value\" : \"0.500000\", "
	      "\"metric-unit\" : \"CPUs  CPUs_utilized\"}\n");
}

/* Columns of rates are in plain units, whatever the rate is. */
static void metrics_alone(void **state)
{
	check(&(struct stat_output_opts){ .separator = ";", .metric_only = true }, COUNTER_BY_NONE,
	      "minor-faults/sec;CPUs_utilized;\n3333.333;0.500;\n");
	check(&(struct stat_output_opts){ .json = true, .metric_only = true }, COUNTER_BY_NONE,
	      "{\"minor-faults/sec\" : \"3333.333333\", \"CPUs_utilized\" : \"0.500000\"}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv),
		cmocka_unit_test(json),
		cmocka_unit_test(metrics_alone),
	};

	return cmocka_run_group_tests_name("ui/stat-output", tests, NULL, NULL);
}
