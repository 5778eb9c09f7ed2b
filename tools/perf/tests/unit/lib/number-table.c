// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/lib/number-table.h"

static void entries_start_zeroed_and_stay(void **state)
{
	struct number_table table = { .size = sizeof(u64) };
	u64 *entry;

	assert_null(number_table__find(&table, 0));
	for (u32 i = 0; i < 100000; i += 7) {
		entry = number_table__get(&table, i);
		assert_non_null(entry);
		assert_int_equal(*entry, 0);
		*entry = i + 1;
		assert_null(number_table__find(&table, i + 1));
	}
	for (u32 i = 0; i < 99990; i++) {
		entry = number_table__find(&table, i);
		assert_int_equal(*entry, i % 7 ? 0 : i + 1);
	}
	number_table__exit(&table);
}

static void what_was_emptied_is_zero(void **state)
{
	struct number_table table = { .size = 3 };

	((char *)number_table__get(&table, 5000))[2] = 1;
	number_table__empty(&table);
	assert_null(number_table__find(&table, 5000));
	assert_int_equal(((char *)number_table__get(&table, 5000))[2], 0);
	number_table__exit(&table);
}

static void numbers_that_are_too_high_are_refused(void **state)
{
	struct number_table table = { .size = 1 };

	assert_null(number_table__get(&table, UINT32_MAX));
	assert_null(number_table__find(&table, 0));
	number_table__exit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_start_zeroed_and_stay),
		cmocka_unit_test(what_was_emptied_is_zero),
		cmocka_unit_test(numbers_that_are_too_high_are_refused),
	};

	return cmocka_run_group_tests_name("lib/number-table", tests, NULL, NULL);
}
