// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/lib/advice.h"

static void words_fit_the_number(void **state)
{
	char buf[80];

	assert_string_equal(counted(buf, sizeof(buf), 1, "{wait|waits} {was|were} lost"), "1 wait was lost");
	assert_string_equal(counted(buf, sizeof(buf), 2, "{wait|waits} {was|were} lost"), "2 waits were lost");
	assert_string_equal(counted(buf, sizeof(buf), 0, "hit{|s} (of any task)"), "0 hits (of any task)");
	assert_string_equal(counted(buf, sizeof(buf), 1, "hit{|s} (of any task)"), "1 hit (of any task)");
	assert_string_equal(counted(buf, sizeof(buf), 18446744073709551615ULL, "plain"), "18446744073709551615 plain");
}

static void a_long_phrase_is_cut(void **state)
{
	char buf[8];

	assert_string_equal(counted(buf, sizeof(buf), 10, "{wait|waits} lost"), "10 wait");
}

static void nouns_and_verbs_agree(void **state)
{
	assert_string_equal(plural(1), "");
	assert_string_equal(plural(0), "s");
	assert_string_equal(plural(2), "s");
	assert_string_equal(were(1), "was");
	assert_string_equal(were(2), "were");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_fit_the_number),
		cmocka_unit_test(a_long_phrase_is_cut),
		cmocka_unit_test(nouns_and_verbs_agree),
	};

	return cmocka_run_group_tests_name("lib/advice", tests, NULL, NULL);
}
