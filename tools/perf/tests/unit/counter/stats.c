// SPDX-License-Identifier: GPL-2.0
#include "util/counter/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void near(double got, double want)
{
	assert_true(fabs(got - want) < 1e-9);
}

static void mean_and_noise(void **state)
{
	struct stats s = { 0 };

	near(stats__error(&s), 0);
	near(stats__error_percent(&s), 0);
	stats__add(&s, 2);
	near(s.mean, 2);
	near(stats__error(&s), 0);
	stats__add(&s, 4);
	stats__add(&s, 6);
	near(s.mean, 4);
	near(stats__error(&s), 2 / sqrt(3)); /* the deviation is 2 */
	near(stats__error_percent(&s), 50 / sqrt(3));
}

static void zeros_have_no_noise(void **state)
{
	struct stats s = { 0 };

	for (int i = 0; i < 5; i++)
		stats__add(&s, 0);
	near(stats__error_percent(&s), 0);
}

/* Far from 0 the naive sum of squares loses all digits. */
static void large_values_keep_their_noise(void **state)
{
	struct stats s = { 0 };

	for (int i = 0; i < 4; i++)
		stats__add(&s, 1e15 + i);
	assert_true(fabs(stats__error(&s) - sqrt(5.0 / 3 / 4)) < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mean_and_noise),
		cmocka_unit_test(zeros_have_no_noise),
		cmocka_unit_test(large_values_keep_their_noise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
