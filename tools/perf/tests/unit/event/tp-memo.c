// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/event/tp-memo.h"

static int begin(void **state)
{
	*state = tp_memo__new();
	return *state ? 0 : -1;
}

static int end(void **state)
{
	tp_memo__delete(*state);
	return 0;
}

static void equal_records_have_their_text(void **state)
{
	const char record[] = "0123456789", same[] = "0123456789", longer[] = "01234567890", other[] = "0123456788";
	struct tp_memo *memo = *state;
	const char *text;
	size_t len = 0;

	assert_null(tp_memo__find(memo, record, 10, &len));
	tp_memo__put(memo, record, 10, "text", 4);
	text = tp_memo__find(memo, same, 10, &len);
	assert_string_equal(text, "text");
	assert_int_equal(len, 4);
	assert_null(tp_memo__find(memo, other, 10, &len));
	assert_null(tp_memo__find(memo, longer, 11, &len));
	assert_null(tp_memo__find(memo, record, 9, &len));
	tp_memo__put(memo, record, 10, "", 0);
	assert_string_equal(tp_memo__find(memo, record, 10, &len), "");
	assert_int_equal(len, 0);
	tp_memo__empty(memo);
	assert_null(tp_memo__find(memo, record, 10, &len));
}

/* More records than it has room for: it may forget a text, and never gives that of another record. */
static void many_records_do_not_mix(void **state)
{
	struct tp_memo *memo = *state;
	char expected[16];
	u32 nr_found = 0;
	size_t len;

	for (u32 i = 0; i < 20000; i++) {
		snprintf(expected, sizeof(expected), "%u", i);
		tp_memo__put(memo, &i, sizeof(i), expected, strlen(expected));
	}
	for (u32 i = 0; i < 20000; i++) {
		const char *text = tp_memo__find(memo, &i, sizeof(i), &len);

		snprintf(expected, sizeof(expected), "%u", i);
		if (text)
			assert_string_equal(text, expected);
		nr_found += !!text;
	}
	assert_true(nr_found > 0);
}

static void long_texts_are_not_kept(void **state)
{
	static char text[100000];
	size_t len;

	tp_memo__put(*state, "ab", 2, text, sizeof(text));
	assert_null(tp_memo__find(*state, "ab", 2, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_records_have_their_text, begin, end),
		cmocka_unit_test_setup_teardown(many_records_do_not_mix, begin, end),
		cmocka_unit_test_setup_teardown(long_texts_are_not_kept, begin, end),
	};

	return cmocka_run_group_tests_name("event/tp-memo", tests, NULL, NULL);
}
