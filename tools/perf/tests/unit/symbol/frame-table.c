// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/symbol/frame-table.h"

#define USER PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL

static struct frame_table table;

static int end(void **state)
{
	frame_table__exit(&table);
	return 0;
}

static u32 add(u64 version, u8 cpumode, u64 addr)
{
	const struct location loc = { .addr = addr, .cpumode = cpumode };
	struct frame_slot *slot = frame_table__add(&table, version, cpumode, addr, &loc, 0);

	assert_non_null(slot);
	return slot->number;
}

static void assert_found(u64 version, u8 cpumode, u64 addr, u32 number)
{
	const struct frame_slot *slot = frame_table__find(&table, version, cpumode, addr);

	assert_non_null(slot);
	assert_int_equal(slot->number, number);
	assert_int_equal(frame_table__at(&table, number)->addr, addr);
	assert_int_equal(frame_table__at(&table, number)->number, number);
}

static void an_address_is_found_by_all_that_it_depends_on(void **state)
{
	u32 number;

	assert_null(frame_table__find(&table, 1, USER, 0x1000));
	number = add(1, USER, 0x1000);
	assert_int_not_equal(number, 0);
	assert_found(1, USER, 0x1000, number);
	assert_null(frame_table__find(&table, 2, USER, 0x1000));
	assert_null(frame_table__find(&table, 1, KERNEL, 0x1000));
	assert_null(frame_table__find(&table, 1, USER, 0x1001));
}

static void locations_of_inlined_functions_are_numbered_too(void **state)
{
	const struct location inlined = { .addr = 7 };
	u32 number = add(1, USER, 0x1000), first = frame_table__add_location(&table, &inlined, 0);

	assert_int_equal(frame_table__add_location(&table, &inlined, 0), first + 1);
	assert_int_equal(frame_table__at(&table, first)->addr, 7);
	assert_found(1, USER, 0x1000, number);
	assert_int_not_equal(add(1, USER, 0x2000), first);
}

static void all_are_found_while_it_grows(void **state)
{
	u32 number[10000];

	for (u32 i = 0; i < ARRAY_SIZE(number); i++)
		number[i] = add(i % 3, USER, 0x1000 + i / 3);
	for (u32 i = 0; i < ARRAY_SIZE(number); i++)
		assert_found(i % 3, USER, 0x1000 + i / 3, number[i]);
}

static void numbers_go_on_when_it_is_emptied(void **state)
{
	u32 last = 0;

	for (u64 addr = 0; !frame_table__is_full(&table); addr++)
		last = add(1, USER, addr);
	frame_table__empty(&table);
	assert_false(frame_table__is_full(&table));
	assert_null(frame_table__find(&table, 1, USER, 0));
	assert_int_equal(add(1, USER, 5), last + 1);
	assert_found(1, USER, 5, last + 1);
	assert_false(table.unnumbered);
}

static void numbers_go_on_when_it_is_released(void **state)
{
	u32 last = add(1, USER, 5);

	frame_table__release(&table);
	assert_null(table.loc);
	assert_null(frame_table__find(&table, 1, USER, 5));
	assert_int_equal(add(1, USER, 5), last + 1);
	assert_found(1, USER, 5, last + 1);
}

static void numbers_are_not_used_twice(void **state)
{
	add(1, USER, 5);
	table.base = UINT32_MAX / 2 + 1;
	frame_table__empty(&table);
	assert_true(table.unnumbered);
	add(1, USER, 6);
	assert_int_equal(frame_table__at(&table, frame_table__find(&table, 1, USER, 6)->number)->number, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(an_address_is_found_by_all_that_it_depends_on, end),
		cmocka_unit_test_teardown(locations_of_inlined_functions_are_numbered_too, end),
		cmocka_unit_test_teardown(all_are_found_while_it_grows, end),
		cmocka_unit_test_teardown(numbers_go_on_when_it_is_emptied, end),
		cmocka_unit_test_teardown(numbers_go_on_when_it_is_released, end),
		cmocka_unit_test_teardown(numbers_are_not_used_twice, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
