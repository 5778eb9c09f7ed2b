// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/key-texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const texts[] = { "lo", "", "(no value)" };

static void texts_come_back(void **state)
{
	u32 size;
	char *raw = key_texts__encode(texts, 3, &size);

	assert_non_null(raw);
	assert_int_equal(size, 8 + 3 * 4 + 3 + 1 + 11);
	for (unsigned int i = 0; i < 3; i++)
		assert_string_equal(key_texts__get(raw, size, i, 3), texts[i]);
	assert_null(key_texts__get(raw, size, 3, 3));
	free(raw);
}

/* Files may be broken. */
static void nothing_is_read_behind_the_end(void **state)
{
	u32 size;
	char *raw = key_texts__encode(texts, 3, &size);

	assert_non_null(raw);
	assert_null(key_texts__get(raw, size - 1, 2, 3));
	assert_null(key_texts__get(raw, 8 + 3 * 4 - 1, 0, 3));
	assert_non_null(key_texts__get(raw, size - 1, 0, 3));
	raw[size - 1] = 'x'; /* no NUL */
	assert_null(key_texts__get(raw, size, 2, 3));
	raw[0] ^= 1; /* of another tracepoint */
	assert_null(key_texts__get(raw, size, 0, 3));
	free(raw);
}

static void the_format_has_all_names(void **state)
{
	const char *const names[] = { "location", "dev_name" };
	size_t size;
	char *format = key_texts__format(names, 2, &size);

	assert_non_null(format);
	assert_int_equal(size, strlen(format));
	assert_non_null(strstr(format, "\tfield:__data_loc char[] location;\toffset:8;\tsize:4;\tsigned:1;\n"
				       "\tfield:__data_loc char[] dev_name;\toffset:12;\tsize:4;\tsigned:1;\n"));
	assert_non_null(strstr(format, "print fmt: \"location=%s dev_name=%s\", __get_str(location), __get_str(dev_name)\n"));
	free(format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_come_back),
		cmocka_unit_test(nothing_is_read_behind_the_end),
		cmocka_unit_test(the_format_has_all_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
