// SPDX-License-Identifier: GPL-2.0
#include "util/record/sample-counts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "util/lib/types.h"

static void samples_are_counted_by_the_event_of_their_id(void **state)
{
	static const u64 first[] = { 7, 3, UINT64_MAX }, second[] = { 5 };
	static const u64 samples[] = { 3, 5, 7, 7, UINT64_MAX, 4, 0 };
	struct sample_counts *c = sample_counts__new(3);

	assert_non_null(c);
	assert_int_equal(sample_counts__add_ids(c, 0, first, ARRAY_SIZE(first)), 0);
	assert_int_equal(sample_counts__add_ids(c, 1, NULL, 0), 0);
	assert_int_equal(sample_counts__add_ids(c, 2, second, ARRAY_SIZE(second)), 0);
	sample_counts__sort_ids(c);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		sample_counts__count(c, &samples[i]);
	assert_int_equal(sample_counts__of(c, 0), 4);
	assert_int_equal(sample_counts__of(c, 1), 0);
	assert_int_equal(sample_counts__of(c, 2), 1);
	sample_counts__delete(c);
}

static void nothing_is_no_special_case(void **state)
{
	struct sample_counts *c = sample_counts__new(1);

	assert_non_null(c);
	sample_counts__sort_ids(c);
	assert_int_equal(sample_counts__of(c, 0), 0);
	assert_int_equal(sample_counts__period(c, 0), 0);
	sample_counts__delete(c);
	sample_counts__delete(NULL);
}

static void periods_are_added_up_where_they_are(void **state)
{
	static const u64 first[] = { 3 }, second[] = { 5 };
	static const u64 samples[][3] = { { 3, 9, 100 }, { 5, 7, 1000 }, { 3, 9, 20 }, { 4, 1, 1 }, { 5, 6, 1000 } };
	struct sample_counts *c = sample_counts__new(2);

	assert_non_null(c);
	assert_int_equal(sample_counts__add_ids(c, 0, first, ARRAY_SIZE(first)), 0);
	assert_int_equal(sample_counts__add_ids(c, 1, second, ARRAY_SIZE(second)), 0);
	sample_counts__sort_ids(c);
	sample_counts__add_periods(c, 0, 2);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		sample_counts__count(c, samples[i]);
	assert_int_equal(sample_counts__period(c, 0), 120);
	assert_int_equal(sample_counts__period(c, 1), 0);
	assert_int_equal(sample_counts__of(c, 1), 2);
	sample_counts__delete(c);
}

static void one_event_needs_no_ids(void **state)
{
	static const u64 samples[][2] = { { 3, 10 }, { 5, 7 } };
	struct sample_counts *c = sample_counts__new(1);

	assert_non_null(c);
	sample_counts__add_periods(c, 0, 1);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		sample_counts__count(c, samples[i]);
	assert_int_equal(sample_counts__of(c, 0), 2);
	assert_int_equal(sample_counts__period(c, 0), 17);
	sample_counts__delete(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_counted_by_the_event_of_their_id),
		cmocka_unit_test(periods_are_added_up_where_they_are),
		cmocka_unit_test(one_event_needs_no_ids),
		cmocka_unit_test(nothing_is_no_special_case),
	};

	return cmocka_run_group_tests_name("record/sample-counts", tests, NULL, NULL);
}
