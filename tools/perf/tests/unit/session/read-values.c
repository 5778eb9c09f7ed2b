// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/session/read-values.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static void values_of_a_group_are_found(void **state)
{
	static const u64 words[] = { 2, 100, 90, 7, 11, 0, 8, 12, 3 };
	const struct perf_event_attr attr = { .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST | TIMES };
	const struct perf_sample sample = { .read = words, .nr_read = 9 };
	u64 id, value;

	assert_true(sample__read_value(&sample, &attr, 0, &id, &value));
	assert_int_equal(value, 7);
	assert_int_equal(id, 11);
	assert_true(sample__read_value(&sample, &attr, 1, &id, &value));
	assert_int_equal(value, 8);
	assert_int_equal(id, 12);
	assert_false(sample__read_value(&sample, &attr, 2, &id, &value));
}

static void the_value_of_one_event_is_found(void **state)
{
	static const u64 words[] = { 7, 100, 11 };
	const struct perf_event_attr attr = { .read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED };
	const struct perf_sample sample = { .read = words, .nr_read = 3 };
	u64 id, value;

	assert_true(sample__read_value(&sample, &attr, 0, &id, &value));
	assert_int_equal(value, 7);
	assert_int_equal(id, 11);
	assert_false(sample__read_value(&sample, &attr, 1, &id, &value));
}

static void without_ids_there_are_none(void **state)
{
	static const u64 words[] = { 1, 7 };
	const struct perf_event_attr attr = { .read_format = PERF_FORMAT_GROUP };
	u64 id, value;

	assert_false(sample__read_value(&(struct perf_sample){ .read = words, .nr_read = 2 }, &attr, 0, &id, &value));
	assert_false(sample__read_value(&(struct perf_sample){}, &attr, 0, &id, &value));
}

static void each_id_and_task_counts_by_itself(void **state)
{
	struct read_values values = {};
	u64 more;

	assert_int_equal(read_values__since_last(&values, 11, 0, 10, &more), 0);
	assert_int_equal(more, 10);
	assert_int_equal(read_values__since_last(&values, 11, 0, 15, &more), 0);
	assert_int_equal(more, 5);
	assert_int_equal(read_values__since_last(&values, 12, 0, 15, &more), 0);
	assert_int_equal(more, 15);
	assert_int_equal(read_values__since_last(&values, 11, 7, 15, &more), 0);
	assert_int_equal(more, 15);
	assert_int_equal(read_values__since_last(&values, 11, 0, 15, &more), 0);
	assert_int_equal(more, 0);
	read_values__exit(&values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_a_group_are_found),
		cmocka_unit_test(the_value_of_one_event_is_found),
		cmocka_unit_test(without_ids_there_are_none),
		cmocka_unit_test(each_id_and_task_counts_by_itself),
	};

	return cmocka_run_group_tests_name("session/read-values", tests, NULL, NULL);
}
