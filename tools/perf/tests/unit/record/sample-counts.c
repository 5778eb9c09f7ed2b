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
		sample_counts__count(c, samples[i]);
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
	sample_counts__count(c, 1);
	assert_int_equal(sample_counts__of(c, 0), 0);
	sample_counts__delete(c);
	sample_counts__delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_counted_by_the_event_of_their_id),
		cmocka_unit_test(nothing_is_no_special_case),
	};

	return cmocka_run_group_tests_name("record/sample-counts", tests, NULL, NULL);
}
