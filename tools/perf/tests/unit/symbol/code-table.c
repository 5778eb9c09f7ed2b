// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/symbol/code-table.h"

static const struct dso one = { .index = 1 }, two = { .index = 2 };

static u32 add(struct code_table *table, const struct dso *dso, u64 addr)
{
	const struct code *code = code_table__add(table, dso, addr, code_hash(dso, addr));

	assert_non_null(code);
	return code_table__number(table, code);
}

static const struct code *find(const struct code_table *table, const struct dso *dso, u64 addr)
{
	return code_table__find(table, dso, addr, false, code_hash(dso, addr));
}

static void code_is_found_by_dso_and_address(void **state)
{
	struct code_table table = {};
	u32 a, b;

	assert_null(find(&table, &one, 16));
	a = add(&table, &one, 16);
	b = add(&table, &two, 16);
	assert_int_not_equal(a, 0);
	assert_int_not_equal(a, b);
	assert_int_equal(code_table__number(&table, find(&table, &one, 16)), a);
	assert_int_equal(code_table__number(&table, find(&table, &two, 16)), b);
	assert_null(find(&table, &one, 17));
	assert_null(code_table__find(&table, &one, 16, true, code_hash(&one, 16))); /* as a return address it is other code */
	assert_ptr_equal(code_table__at(&table, b), find(&table, &two, 16));
	assert_null(code_table__at(&table, 0));
	code_table__exit(&table);
}

/* It is bounded, and a number never means something else. */
static void numbers_go_on(void **state)
{
	struct code_table table = {};
	u32 last = 0, number;

	for (u64 addr = 0; !code_table__is_full(&table); addr++)
		last = add(&table, &one, addr);
	assert_non_null(find(&table, &one, 7));
	code_table__empty(&table);
	assert_false(code_table__is_full(&table));
	assert_null(find(&table, &one, 7));
	assert_null(code_table__at(&table, last));
	number = add(&table, &one, 7);
	assert_true(number > last);
	assert_ptr_equal(code_table__at(&table, number), find(&table, &one, 7));
	code_table__exit(&table);
}

static void numbers_go_on_after_release(void **state)
{
	struct code_table table = {};
	u32 last = add(&table, &one, 7), number;

	code_table__release(&table);
	assert_null(table.code);
	assert_null(find(&table, &one, 7));
	assert_null(code_table__at(&table, last));
	number = add(&table, &one, 7);
	assert_true(number > last);
	assert_ptr_equal(code_table__at(&table, number), find(&table, &one, 7));
	code_table__exit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_found_by_dso_and_address),
		cmocka_unit_test(numbers_go_on),
		cmocka_unit_test(numbers_go_on_after_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
