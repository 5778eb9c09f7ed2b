// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/stacks/counts.h"

#define IDENTITY (1ULL << 62)

struct told {
	u64 nr, period, of_place[4];
};

static struct stack_counts *counts;
static struct told told;

static void tell(u64 where, u64 nr, u64 period, void *data)
{
	struct told *t = data;

	t->nr += nr;
	t->period += period;
	t->of_place[where % 4] += nr;
}

static int begin(void **state)
{
	told = (struct told){};
	counts = stack_counts__new(tell, &told);
	return counts ? 0 : -1;
}

static int end(void **state)
{
	stack_counts__delete(counts);
	return 0;
}

static struct sample_kind kind_of(u64 place, u32 callers)
{
	return (struct sample_kind){ .owner = "x", .place = place, .callers = callers };
}

static void count(struct sample_kind kind, u64 period)
{
	u32 handle = stack_counts__find(counts, &kind, 0);

	assert_int_not_equal(handle, 0);
	for (u32 hint = 1; hint < 4; hint++)
		assert_int_equal(stack_counts__find(counts, &kind, hint), handle);
	stack_counts__count(counts, handle, period);
}

static void keep(struct sample_kind kind, u64 where)
{
	assert_int_equal(stack_counts__find(counts, &kind, 0), 0);
	stack_counts__keep(counts, &kind, where);
}

static void an_identity_is_no_id(void **state)
{
	assert_int_equal(stack_place(5, 0), 5);
	assert_int_equal(stack_place(5, IDENTITY), IDENTITY);
}

static void what_is_counted_is_told_once(void **state)
{
	const struct sample_kind a = kind_of(5, 1), b = kind_of(5, 2);

	keep(a, 1);
	keep(b, 2);
	count(a, 10);
	count(a, 20);
	count(b, 30);
	assert_int_equal(told.nr, 0);
	stack_counts__flush(counts);
	assert_int_equal(told.of_place[1], 2);
	assert_int_equal(told.of_place[2], 1);
	assert_int_equal(told.period, 60);
	assert_int_equal(stack_counts__find(counts, &a, 0), 0);
	stack_counts__flush(counts);
	assert_int_equal(told.nr, 3);
}

static void callers_may_call_several(void **state)
{
	const struct sample_kind kind[] = { kind_of(5, 1), kind_of(6, 1), kind_of(7, 1), kind_of(5, 2) };

	for (u32 i = 0; i < 4; i++)
		keep(kind[i], i);
	for (u32 i = 0; i < 4; i++)
		count(kind[i], 1);
	stack_counts__flush(counts);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(told.of_place[i], 1);
	assert_int_equal(stack_counts__find(counts, &kind[1], 0), 0);
}

static void names_are_told_apart(void **state)
{
	struct sample_kind x = kind_of(5, 1), y = x;

	y.owner = "y";
	keep(x, 1);
	keep(y, 2);
	count(y, 1);
	stack_counts__flush(counts);
	assert_int_equal(told.of_place[2], 1);
	assert_int_equal(told.nr, 1);
}

/* Whatever the hints are. */
static void many_are_found_together(void **state)
{
	struct kind_search search[STACK_SEARCHES];

	for (u32 i = 0; i < STACK_SEARCHES; i++) {
		search[i].kind = kind_of(5 + i, i % 3);
		search[i].hint = i % 2 ? i + 1 : i % 5;
		if (i % 4)
			keep(search[i].kind, 1);
	}
	stack_counts__find_all(counts, search, STACK_SEARCHES);
	for (u32 i = 0; i < STACK_SEARCHES; i++)
		assert_int_equal(search[i].found, i % 4 ? stack_counts__find(counts, &search[i].kind, 0) : 0);
	assert_int_not_equal(search[1].found, search[2].found);
}

/* None is lost, and nothing is counted for another. */
static void there_is_room_for_so_many(void **state)
{
	const struct sample_kind other = kind_of(4, 3);
	u32 nr = 0;

	for (; !stack_counts__are_full(counts) && nr < 2000000; nr++) {
		const struct sample_kind kind = kind_of(5 + nr / 5, 1 + nr % 5);

		stack_counts__keep(counts, &kind, 1 + nr % 2);
		stack_counts__count(counts, stack_counts__find(counts, &kind, nr), 1);
	}
	assert_in_range(nr, 1000000, 1999999);
	stack_counts__keep(counts, &other, 3);
	assert_int_equal(stack_counts__find(counts, &other, 0), 0);
	stack_counts__flush(counts);
	assert_int_equal(told.nr, nr);
	assert_int_equal(told.of_place[2], nr / 2);
	assert_int_equal(told.of_place[3], 0);
	assert_false(stack_counts__are_full(counts));
	keep(other, 3);
	count(other, 1);
}

/* Handles that consumers kept before stand for none of the kinds after. */
static void handles_are_given_once(void **state)
{
	const struct sample_kind a = kind_of(5, 1), b = kind_of(6, 1);
	u32 before;

	keep(a, 1);
	before = stack_counts__find(counts, &a, 0);
	stack_counts__flush(counts);
	keep(b, 2);
	assert_int_equal(stack_counts__find(counts, &a, before), 0);
	assert_int_not_equal(stack_counts__find(counts, &b, before), before);
	count(b, 7);
	stack_counts__flush(counts);
	assert_int_equal(told.of_place[2], 1);
	assert_int_equal(told.period, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_identity_is_no_id, begin, end),
		cmocka_unit_test_setup_teardown(what_is_counted_is_told_once, begin, end),
		cmocka_unit_test_setup_teardown(callers_may_call_several, begin, end),
		cmocka_unit_test_setup_teardown(names_are_told_apart, begin, end),
		cmocka_unit_test_setup_teardown(many_are_found_together, begin, end),
		cmocka_unit_test_setup_teardown(handles_are_given_once, begin, end),
		cmocka_unit_test_setup_teardown(there_is_room_for_so_many, begin, end),
	};

	return cmocka_run_group_tests_name("stacks/counts", tests, NULL, NULL);
}
