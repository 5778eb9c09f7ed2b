// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/stacks/ids.h"

static const char function; /* whose address stands for one */
#define FUNCTION ((const struct symbol *)&function)

static struct stack_index *ids;

static int begin(void **state)
{
	ids = stack_index__new();
	return ids ? 0 : -1;
}

static int end(void **state)
{
	stack_index__delete(ids);
	return 0;
}

static struct stack_found find(u32 place, u64 place_version, u32 callers, u64 callers_version)
{
	const struct stack_numbers numbers = { place, callers, place_version, callers_version };
	struct stack_found found;

	stack_index__find(ids, &numbers, &found);
	assert_int_not_equal(found.ids.place, 0);
	assert_int_not_equal(found.ids.callers, 0);
	return found;
}

static u32 place_of(u32 number, u64 version)
{
	return find(number, version, 1, 1).ids.place;
}

static u32 callers_of(u32 number, u64 version)
{
	return find(1, 1, number, version).ids.callers;
}

static void a_part_has_one_id_while_maps_are_the_same(void **state)
{
	u32 a = place_of(5, 1), b = place_of(6, 1);

	assert_int_not_equal(a, b);
	assert_int_equal(place_of(5, 1), a);
	assert_int_equal(place_of(6, 1), b);
	a = callers_of(100000, 1);
	assert_int_not_equal(callers_of(99999, 1), a);
	assert_int_equal(callers_of(100000, 1), a);
}

static void other_maps_give_another_id(void **state)
{
	u32 old = place_of(5, 1), new = place_of(5, 2);

	assert_int_not_equal(old, new);
	assert_int_equal(place_of(5, 2), new);
	assert_int_not_equal(place_of(5, 1), new);
	assert_int_not_equal(callers_of(5, 1), callers_of(5, 2));
}

static void a_function_is_that_of_the_last_maps(void **state)
{
	assert_false(find(5, 1, 1, 1).has_function);
	stack_index__set_function(ids, 5, FUNCTION);
	assert_true(find(5, 1, 2, 1).has_function);
	assert_ptr_equal(find(5, 1, 1, 2).function, FUNCTION);
	assert_false(find(5, 2, 1, 1).has_function);
	stack_index__set_function(ids, 5, NULL);
	assert_true(find(5, 2, 1, 1).has_function);
	assert_null(find(5, 2, 1, 1).function);
}

static void ids_can_begin_anew(void **state)
{
	u32 first = place_of(5, 1);

	place_of(6, 1);
	stack_index__empty(ids);
	assert_int_equal(place_of(6, 1), first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_part_has_one_id_while_maps_are_the_same, begin, end),
		cmocka_unit_test_setup_teardown(other_maps_give_another_id, begin, end),
		cmocka_unit_test_setup_teardown(a_function_is_that_of_the_last_maps, begin, end),
		cmocka_unit_test_setup_teardown(ids_can_begin_anew, begin, end),
	};

	return cmocka_run_group_tests_name("stacks/ids", tests, NULL, NULL);
}
