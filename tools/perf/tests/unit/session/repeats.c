// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/session/repeats.h"

static const char function; /* whose address stands for one */
#define FUNCTION ((const struct symbol *)&function)

struct told {
	u64 nr, period, of_token[4];
};

static struct repeats *repeats;
static struct told told;

static void tell(u64 token, u64 nr, u64 period, void *data)
{
	struct told *t = data;

	t->nr += nr;
	t->period += period;
	t->of_token[token % 4] += nr;
}

static int begin(void **state)
{
	told = (struct told){};
	repeats = repeats__new(tell, &told);
	return repeats ? 0 : -1;
}

static int end(void **state)
{
	repeats__delete(repeats);
	return 0;
}

static struct repeat_key key_of(u64 maps_version, u64 where, u32 callers)
{
	return (struct repeat_key){ .comm = "x", .maps_version = maps_version, .where = where, .callers = callers };
}

static void a_place_is_its_function_or_itself(void **state)
{
	assert_int_equal(repeats__where(repeats, 5, 1), 0);
	assert_int_equal(repeats__set_where(repeats, 5, 1, FUNCTION), (uintptr_t)FUNCTION);
	assert_int_equal(repeats__where(repeats, 5, 1), (uintptr_t)FUNCTION);
	assert_int_equal(repeats__where(repeats, 4, 1), 0);
	assert_int_equal(repeats__where(repeats, 5, 2), 0); /* other maps */
	assert_int_equal(repeats__set_where(repeats, 5, 2, NULL), 5);
	assert_int_equal(repeats__where(repeats, 5, 2), 5);
}

static void what_is_counted_is_told_once(void **state)
{
	const struct repeat_key a = key_of(1, 5, 1), b = key_of(1, 5, 2);

	repeats__set(repeats, &a, 1);
	repeats__set(repeats, &b, 2);
	repeats__count(repeats, repeats__find(repeats, &a), 10);
	repeats__count(repeats, repeats__find(repeats, &a), 20);
	repeats__count(repeats, repeats__find(repeats, &b), 30);
	assert_int_equal(told.nr, 0);
	repeats__flush(repeats);
	assert_int_equal(told.of_token[1], 2);
	assert_int_equal(told.of_token[2], 1);
	assert_int_equal(told.period, 60);
	assert_int_equal(repeats__find(repeats, &a), 0);
	repeats__flush(repeats);
	assert_int_equal(told.nr, 3);
}

static void other_maps_take_the_place_of_the_old_ones(void **state)
{
	const struct repeat_key old = key_of(1, 5, 1), new = key_of(2, 5, 1);

	repeats__set(repeats, &old, 1);
	repeats__count(repeats, repeats__find(repeats, &old), 10);
	assert_int_equal(repeats__find(repeats, &new), 0);
	repeats__set(repeats, &new, 2);
	assert_int_equal(told.of_token[1], 1);
	assert_int_equal(repeats__find(repeats, &old), 0);
	assert_int_not_equal(repeats__find(repeats, &new), 0);
}

static void a_token_may_be_taken_back(void **state)
{
	const struct repeat_key key = key_of(1, 5, 1);

	repeats__set(repeats, &key, 0);
	assert_int_equal(repeats__find(repeats, &key), 0);
	repeats__set(repeats, &key, 3);
	repeats__count(repeats, repeats__find(repeats, &key), 10);
	repeats__set(repeats, &key, 0);
	assert_int_equal(told.of_token[3], 1);
	assert_int_equal(repeats__find(repeats, &key), 0);
}

static void callers_may_call_several(void **state)
{
	const struct repeat_key key[] = { key_of(1, 5, 1), key_of(1, 6, 1), key_of(1, 7, 1), key_of(1, 5, 2) };

	for (u32 i = 0; i < 4; i++)
		repeats__set(repeats, &key[i], i);
	for (u32 i = 0; i < 4; i++) {
		if (i)
			repeats__count(repeats, repeats__find(repeats, &key[i]), 1);
		else
			assert_int_equal(repeats__find(repeats, &key[i]), 0); /* token 0 */
	}
	repeats__flush(repeats);
	for (u32 i = 1; i < 4; i++)
		assert_int_equal(told.of_token[i], 1);
	assert_int_equal(repeats__find(repeats, &key[1]), 0);
}

/* None is lost, and nothing is counted for another. */
static void there_is_room_for_so_many(void **state)
{
	const struct repeat_key other = key_of(1, 4, 3);
	u32 nr = 0;

	for (; !repeats__are_full(repeats) && nr < 2000000; nr++) {
		const struct repeat_key key = key_of(1, 5 + nr / 5, 1 + nr % 5);

		repeats__set(repeats, &key, 1 + nr % 2);
		repeats__count(repeats, repeats__find(repeats, &key), 1);
	}
	assert_in_range(nr, 1000000, 1999999);
	repeats__set(repeats, &other, 3);
	assert_int_equal(repeats__find(repeats, &other), 0);
	repeats__flush(repeats);
	assert_int_equal(told.nr, nr);
	assert_int_equal(told.of_token[2], nr / 2);
	assert_int_equal(told.of_token[3], 0);
	assert_false(repeats__are_full(repeats));
	repeats__set(repeats, &other, 3);
	assert_int_not_equal(repeats__find(repeats, &other), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_place_is_its_function_or_itself, begin, end),
		cmocka_unit_test_setup_teardown(what_is_counted_is_told_once, begin, end),
		cmocka_unit_test_setup_teardown(other_maps_take_the_place_of_the_old_ones, begin, end),
		cmocka_unit_test_setup_teardown(a_token_may_be_taken_back, begin, end),
		cmocka_unit_test_setup_teardown(callers_may_call_several, begin, end),
		cmocka_unit_test_setup_teardown(there_is_room_for_so_many, begin, end),
	};

	return cmocka_run_group_tests_name("session/repeats", tests, NULL, NULL);
}
