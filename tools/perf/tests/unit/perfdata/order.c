// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/perfdata/order.h"

struct seen {
	u32 nr;
	u64 time[8192], place[8192];
	bool fails;
};

static int see(const struct order_item *item, size_t nr, void *data)
{
	struct seen *seen = data;

	for (size_t i = 0; i < nr; i++) {
		assert_true(seen->nr < 8192);
		seen->time[seen->nr] = item[i].time;
		seen->place[seen->nr++] = item[i].file_offset;
	}
	return seen->fails ? -EIO : 0;
}

static void add(struct order *o, u64 time, u64 place)
{
	assert_int_equal(order__add(o, &(struct order_item){ .time = time, .file_offset = place }), 0);
}

static void assert_ordered(const struct seen *seen)
{
	for (u32 i = 1; i < seen->nr; i++) {
		assert_true(seen->time[i - 1] <= seen->time[i]);
		if (seen->time[i - 1] == seen->time[i])
			assert_true(seen->place[i - 1] < seen->place[i]);
	}
}

/* The rings of two CPUs, read one after the other; the second round brings one that is older than the first's last. */
static void round_end_delivers_what_the_round_before_reached(void **state)
{
	struct order *o = order__new();
	struct seen seen = {};

	add(o, 10, 0), add(o, 30, 1);
	add(o, 5, 2), add(o, 20, 3);
	assert_int_equal(order__end_round(o, 0, see, &seen), 0);
	assert_int_equal(seen.nr, 0);

	add(o, 40, 4);
	add(o, 25, 5), add(o, 35, 6);
	assert_int_equal(order__end_round(o, 0, see, &seen), 0);
	assert_int_equal(seen.nr, 5); /* up to 30 */
	assert_int_equal(seen.time[4], 30);

	assert_int_equal(order__end_round(o, 0, see, &seen), 0);
	assert_int_equal(seen.nr, 7);
	assert_ordered(&seen);
	order__delete(o);
}

static void what_is_known_to_be_final_is_delivered_at_once(void **state)
{
	struct order *o = order__new();
	struct seen seen = {};

	add(o, 10, 0), add(o, 30, 1), add(o, 20, 2);
	assert_int_equal(order__end_round(o, 20, see, &seen), 0);
	assert_int_equal(seen.nr, 2);
	add(o, 25, 3);
	assert_int_equal(order__end_round(o, 5, see, &seen), 0); /* no less than without */
	assert_int_equal(seen.nr, 4);
	assert_int_equal(seen.time[2], 25);
	assert_ordered(&seen);
	order__delete(o);
}

static void flush_delivers_all(void **state)
{
	struct order *o = order__new();
	struct seen seen = {};

	assert_int_equal(order__flush(o, see, &seen), 0);
	assert_int_equal(seen.nr, 0);
	add(o, UINT64_MAX - 1, 0), add(o, 2, 1), add(o, 1, 2);
	assert_int_equal(order__flush(o, see, &seen), 0);
	assert_int_equal(seen.nr, 3);
	assert_ordered(&seen);
	order__delete(o);
}

static void nothing_is_delivered_of_nothing(void **state)
{
	struct order *o = order__new();
	struct seen seen = {};

	assert_int_equal(order__end_round(o, 0, see, &seen), 0);
	assert_int_equal(order__flush(o, see, &seen), 0);
	assert_int_equal(seen.nr, 0);
	order__delete(o);
}

static void equal_times_keep_the_order_of_the_file(void **state)
{
	struct order *o = order__new();
	struct seen seen = {};

	add(o, 7, 0), add(o, 3, 1), add(o, 7, 2), add(o, 3, 3), add(o, 1, 4), add(o, 7, 5);
	order__flush(o, see, &seen);
	assert_int_equal(seen.nr, 6);
	assert_ordered(&seen);
	order__delete(o);
}

static void any_mixture_of_runs_is_sorted(void **state)
{
	struct order *o = order__new();
	struct seen *seen = calloc(1, sizeof(*seen));
	unsigned int seed = 1;

	for (u32 i = 0; i < 4000; i++) {
		add(o, rand_r(&seed) % 700, i);
		if (i % 500 == 499) /* what comes later may be older: only the last part is compared */
			order__end_round(o, 0, see, seen);
	}
	seen->nr = 0;
	for (u32 i = 0; i < 3000; i++)
		add(o, 1000 + rand_r(&seed) % 70000, 5000 + i);
	order__flush(o, see, seen);
	assert_true(seen->nr >= 3000);
	assert_ordered(seen);
	free(seen);
	order__delete(o);
}

/* Each round has a run for each CPU; their ends stay until the round after. */
static void rounds_of_any_number_of_cpus_are_sorted(void **state)
{
	for (u32 cpus = 1; cpus < 8; cpus++) {
		struct order *o = order__new();
		struct seen *seen = calloc(1, sizeof(*seen));
		unsigned int seed = cpus;
		u32 nr = 0;

		for (u32 round = 0; round < 40; round++) {
			for (u32 cpu = 0; cpu < cpus; cpu++) {
				u64 time = 1000 * round;

				for (u32 i = rand_r(&seed) % 20; i > 0; i--)
					add(o, time += rand_r(&seed) % 70, nr++);
			}
			assert_int_equal(order__end_round(o, 0, see, seen), 0);
		}
		order__flush(o, see, seen);
		assert_int_equal(seen->nr, nr);
		assert_ordered(seen);
		free(seen);
		order__delete(o);
	}
}

/* One of them is at the start of the other, within it, or at its end, and times may be equal. */
static void runs_of_any_two_lengths_are_merged(void **state)
{
	struct seen seen = {};

	for (u32 i = 0; i < 9 * 9 * 20; i++) {
		u32 nr_first = 1 + i % 9, nr_second = 1 + i / 9 % 9, begin = i / 81;
		struct order *o = order__new();

		seen.nr = 0;
		for (u32 n = 0; n < nr_first; n++)
			add(o, 10 + n, n);
		for (u32 n = 0; n < nr_second; n++)
			add(o, begin + n / 2, nr_first + n);
		assert_int_equal(order__flush(o, see, &seen), 0);
		assert_int_equal(seen.nr, nr_first + nr_second);
		assert_ordered(&seen);
		order__delete(o);
	}
}

static void error_of_the_callback_is_handed_on(void **state)
{
	struct order *o = order__new();
	struct seen seen = { .fails = true };

	add(o, 1, 0), add(o, 2, 1), add(o, 3, 2);
	assert_int_equal(order__flush(o, see, &seen), -EIO);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(order__flush(o, see, &seen), 0); /* it is gone */
	order__delete(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_end_delivers_what_the_round_before_reached),
		cmocka_unit_test(what_is_known_to_be_final_is_delivered_at_once),
		cmocka_unit_test(flush_delivers_all),
		cmocka_unit_test(nothing_is_delivered_of_nothing),
		cmocka_unit_test(equal_times_keep_the_order_of_the_file),
		cmocka_unit_test(any_mixture_of_runs_is_sorted),
		cmocka_unit_test(rounds_of_any_number_of_cpus_are_sorted),
		cmocka_unit_test(runs_of_any_two_lengths_are_merged),
		cmocka_unit_test(error_of_the_callback_is_handed_on),
	};

	return cmocka_run_group_tests_name("session/order", tests, NULL, NULL);
}
