// SPDX-License-Identifier: GPL-2.0
#include "util/lib/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <malloc.h>
#include <cmocka.h>

#define MANY 1000

static void room_is_the_power_of_two_that_holds_them(void **state)
{
	u64 *array = NULL;
	size_t nr = 0;

	while (nr < MANY) {
		const u64 *before = array;

		assert_int_equal(array__extend(array, nr), 0);
		assert_true(malloc_usable_size(array) >= (nr + 1) * sizeof(*array));
		if (nr & (nr - 1)) /* it is not full: nothing is moved */
			assert_ptr_equal(array, before);
		array[nr] = nr;
		nr++;
	}
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(array[i], i);
	/* Some are removed, and others come. */
	for (nr = 3; nr < MANY; nr++) {
		assert_int_equal(array__extend(array, nr), 0);
		assert_true(malloc_usable_size(array) >= (nr + 1) * sizeof(*array));
	}
	assert_int_equal(array[2], 2);
	free(array);
}

static void room_that_is_remembered_stays(void **state)
{
	u32 *array = NULL, *filled;
	u32 nr, alloc = 0;

	for (nr = 0; nr < MANY; nr++) {
		assert_int_equal(array__grow(array, nr, alloc), 0);
		assert_true(nr < alloc);
		array[nr] = nr;
	}
	filled = array;
	for (nr = 0; nr < MANY; nr++) {
		assert_int_equal(array[nr], nr);
		assert_int_equal(array__grow(array, nr, alloc), 0);
		assert_ptr_equal(array, filled);
	}
	free(array);
}

/* Sanitizers would end the program that asks for too much. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void without_memory_the_array_stays(void **state)
{
	struct { char bytes[1 << 20]; } *large = NULL, *before;
	volatile size_t most = (size_t)1 << 62; /* volatile: the compiler refuses such a size if it knows it */
	size_t nr = 0;

	assert_int_equal(array__extend(large, nr), 0);
	before = large;
	nr = most;
	assert_int_equal(array__extend(large, nr), -ENOMEM);
	assert_ptr_equal(large, before);
	assert_int_equal(array__grow(large, nr, nr), -ENOMEM);
	assert_ptr_equal(large, before);
	assert_int_equal(nr, (size_t)1 << 62);
	free(large);
}

/* More elements than the count can tell are refused, not wrapped around. */
static void numbers_do_not_wrap_around(void **state)
{
	u8 *array = NULL;
	u32 alloc = 1U << 31;

	assert_int_equal(array__grow(array, alloc, alloc), -ENOMEM);
	assert_int_equal(alloc, 1U << 31);
	assert_null(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_is_the_power_of_two_that_holds_them),
		cmocka_unit_test(room_that_is_remembered_stays),
		cmocka_unit_test(without_memory_the_array_stays),
		cmocka_unit_test(numbers_do_not_wrap_around),
	};

	return cmocka_run_group_tests_name("lib/array", tests, NULL, NULL);
}
