// SPDX-License-Identifier: GPL-2.0
#include "util/lib/comma-list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static const char *joined(const char *list, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	comma_list__for_each(list, word)
		n += snprintf(buf + n, size - n, "[%.*s]", (int)word.len, word.text);
	return buf;
}

static void words_come_one_after_the_other(void **state)
{
	char buf[64];

	assert_string_equal(joined("a", buf, sizeof(buf)), "[a]");
	assert_string_equal(joined("one,two,three", buf, sizeof(buf)), "[one][two][three]");
}

static void empty_words_are_words(void **state)
{
	char buf[64];

	assert_string_equal(joined("", buf, sizeof(buf)), "[]");
	assert_string_equal(joined(",a,,b,", buf, sizeof(buf)), "[][a][][b][]");
	assert_string_equal(joined(NULL, buf, sizeof(buf)), "");
}

static void words_are_compared_in_full(void **state)
{
	assert_true(list_word__is(list_word__at("comm,pid"), "comm"));
	assert_false(list_word__is(list_word__at("comm,pid"), "com"));
	assert_false(list_word__is(list_word__at("comm,pid"), "comma"));
	assert_true(list_word__is(list_word__at(""), ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_come_one_after_the_other),
		cmocka_unit_test(empty_words_are_words),
		cmocka_unit_test(words_are_compared_in_full),
	};

	return cmocka_run_group_tests_name("lib/comma-list", tests, NULL, NULL);
}
