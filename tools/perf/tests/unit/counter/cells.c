// SPDX-License-Identifier: GPL-2.0
/* What is read at places becomes what is shown: added up, scaled, over runs. */
#include "util/counter/cells.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define NR_PLACES 3

/* The first two places are one group, the last one is another. */
static const struct counter_groups groups = { .nr = 2, .of_place = (unsigned int[]){ 0, 0, 1 } };

struct fixture {
	struct evlist *evlist;
	struct counters *counters;
	struct counter_cells cells;
};

static int begin(void **state)
{
	static const struct counter_place places[NR_PLACES] = { { .tid = -1, .cpu = 0 }, { .tid = -1, .cpu = 1 }, { .tid = -1, .cpu = 2 } };
	static struct fixture f;

	f = (struct fixture){ .evlist = evlist__new() };
	assert_int_equal(evlist__parse(f.evlist, "cs", NULL, NULL), 0);
	f.counters = counters__new(f.evlist);
	assert_int_equal(counters__set_recorded(f.counters, places, NR_PLACES, NULL), 0);
	assert_int_equal(counter_cells__init(&f.cells, f.evlist, &groups), 0);
	*state = &f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	counter_cells__exit(&f->cells);
	counters__delete(f->counters);
	evlist__delete(f->evlist);
	return 0;
}

static void run(struct fixture *f, const struct counter_value value[NR_PLACES], bool scale)
{
	for (unsigned int i = 0; i < NR_PLACES; i++)
		assert_int_equal(counters__record(f->counters, 0, i, &value[i]), 0);
	counter_cells__add(&f->cells, f->counters, COUNTER_DELTA, scale);
	counters__end_round(f->counters);
}

static const struct counter_cell *cell(const struct fixture *f, unsigned int group)
{
	return counter_cells__at(&f->cells, 0, group);
}

static bool is(double value, double wanted)
{
	return fabs(value - wanted) < 1e-6;
}

static void places_of_a_group_are_added_up(void **state)
{
	struct fixture *f = *state;

	run(f, (struct counter_value[]){ { 10, 100, 100 }, { 20, 100, 100 }, { 5, 100, 100 } }, true);
	assert_true(is(cell(f, 0)->value.mean, 30));
	assert_int_equal(cell(f, 0)->nr, 2);
	assert_int_equal(counter_cell__runtime(cell(f, 0)), 200);
	assert_true(is(counter_cell__percent(cell(f, 0)), 100));
	assert_true(is(cell(f, 1)->value.mean, 5));
	assert_int_equal(cell(f, 1)->nr, 1);
}

/* Each place by its own share of the time: 10 of a half and 20 of all. The whole group's share would make 40 of them. */
static void what_was_multiplexed_is_scaled(void **state)
{
	struct fixture *f = *state;

	run(f, (struct counter_value[]){ { 10, 100, 25 }, { 20, 100, 100 }, { 6, 100, 50 } }, true);
	assert_true(is(cell(f, 0)->value.mean, 60));
	assert_int_equal(cell(f, 0)->raw, 30);
	assert_true(is(counter_cell__percent(cell(f, 0)), 62.5));
	assert_true(is(cell(f, 1)->value.mean, 12));
	assert_true(is(counter_cell__percent(cell(f, 1)), 50));
}

static void a_place_without_a_turn_has_the_rate_of_its_group(void **state)
{
	struct fixture *f = *state;

	run(f, (struct counter_value[]){ { 10, 100, 50 }, { 0, 300, 0 }, { 0, 100, 0 } }, true);
	assert_true(is(cell(f, 0)->value.mean, 80)); /* 20 in 100, so 80 in 400 */
	assert_int_equal(cell(f, 1)->state, COUNTER_NOT_COUNTED);
	assert_true(is(counter_cell__percent(cell(f, 1)), 0));
}

static void without_scaling_counts_are_what_was_read(void **state)
{
	struct fixture *f = *state;

	run(f, (struct counter_value[]){ { 10, 100, 25 }, { 0, 100, 0 }, { 6, 100, 50 } }, false);
	assert_true(is(cell(f, 0)->value.mean, 10));
	assert_true(is(cell(f, 1)->value.mean, 6));
}

/* Runs have a mean, and a time on average; the share is of all. Counts go on from run to run. */
static void runs_have_a_mean(void **state)
{
	struct fixture *f = *state;

	run(f, (struct counter_value[]){ { 10, 100, 100 }, { 0, 0, 0 }, { 6, 100, 100 } }, true);
	run(f, (struct counter_value[]){ { 20, 300, 200 }, { 0, 0, 0 }, { 12, 200, 200 } }, true);
	assert_int_equal(cell(f, 0)->value.nr, 2);
	assert_true(is(cell(f, 0)->value.mean, 15)); /* of 10, and of 10 in half of the time */
	assert_int_equal(counter_cell__runtime(cell(f, 0)), 100);
	assert_true(is(counter_cell__percent(cell(f, 0)), 200.0 / 3));
	assert_true(is(cell(f, 1)->value.mean, 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(places_of_a_group_are_added_up, begin, end),
		cmocka_unit_test_setup_teardown(what_was_multiplexed_is_scaled, begin, end),
		cmocka_unit_test_setup_teardown(a_place_without_a_turn_has_the_rate_of_its_group, begin, end),
		cmocka_unit_test_setup_teardown(without_scaling_counts_are_what_was_read, begin, end),
		cmocka_unit_test_setup_teardown(runs_have_a_mean, begin, end),
	};

	return cmocka_run_group_tests_name("counter/cells", tests, NULL, NULL);
}
