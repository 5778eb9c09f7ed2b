// SPDX-License-Identifier: GPL-2.0
#include "util/source/unwind-budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define S 1000000000ULL
#define BEGAN (1000 * S)

static struct unwind_budget *begin(void)
{
	struct unwind_budget *b = unwind_budget__new();

	assert_non_null(b);
	unwind_budget__begin(b, BEGAN);
	return b;
}

static void each_user_has_a_budget(void **state)
{
	struct unwind_budget *b = begin();
	const uid_t a = 100001, other = 100002;

	assert_true(unwind_budget__has_time(b, a, UNWIND_BUDGET_NEW, BEGAN));
	unwind_budget__charge(b, a, UNWIND_BUDGET_NEW, S + 1);
	assert_false(unwind_budget__has_time(b, a, UNWIND_BUDGET_NEW, BEGAN));
	assert_true(unwind_budget__has_time(b, other, UNWIND_BUDGET_NEW, BEGAN));
	assert_true(unwind_budget__has_time(b, 0, UNWIND_BUDGET_NEW, BEGAN));
	assert_true(unwind_budget__has_time(b, geteuid(), UNWIND_BUDGET_NEW, BEGAN));
	unwind_budget__charge(b, a, UNWIND_BUDGET_NEW, S - 1); /* 2 s in all: after 10 s again */
	assert_false(unwind_budget__has_time(b, a, UNWIND_BUDGET_NEW, BEGAN + 10 * S - 10));
	assert_true(unwind_budget__has_time(b, a, UNWIND_BUDGET_NEW, BEGAN + 10 * S));
	unwind_budget__delete(b);
}

static void many_users_together_have_a_budget(void **state)
{
	struct unwind_budget *b = begin();

	for (uid_t uid = 100000; uid < 110000; uid++)
		unwind_budget__charge(b, uid, UNWIND_BUDGET_NEW, S / 1000); /* 10 s */
	assert_false(unwind_budget__has_time(b, 200000, UNWIND_BUDGET_NEW, BEGAN));
	assert_true(unwind_budget__has_time(b, 0, UNWIND_BUDGET_NEW, BEGAN));
	assert_false(unwind_budget__has_time(b, 200000, UNWIND_BUDGET_NEW, BEGAN + 28 * S - 10));
	assert_true(unwind_budget__has_time(b, 200000, UNWIND_BUDGET_NEW, BEGAN + 28 * S));
	unwind_budget__delete(b);
}

static void changed_files_have_a_part_of_it(void **state)
{
	struct unwind_budget *b = begin();

	unwind_budget__charge(b, 0, UNWIND_BUDGET_NEW, S);
	assert_true(unwind_budget__has_time(b, 0, UNWIND_BUDGET_MORE, BEGAN));
	unwind_budget__charge(b, 0, UNWIND_BUDGET_MORE, S / 10 + 1);
	assert_false(unwind_budget__has_time(b, 0, UNWIND_BUDGET_MORE, BEGAN));
	assert_true(unwind_budget__has_time(b, 0, UNWIND_BUDGET_NEW, BEGAN));
	assert_true(unwind_budget__has_time(b, 0, UNWIND_BUDGET_MORE, BEGAN + 20 * 2));
	unwind_budget__charge(b, 0, UNWIND_BUDGET_NEW, S); /* new tables use up the time of all */
	assert_false(unwind_budget__has_time(b, 0, UNWIND_BUDGET_MORE, BEGAN + 20 * 2));
	unwind_budget__delete(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_user_has_a_budget),
		cmocka_unit_test(many_users_together_have_a_budget),
		cmocka_unit_test(changed_files_have_a_part_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
