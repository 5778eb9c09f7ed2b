// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/lib/printable.h"
#include "util/lib/types.h"

static const struct {
	const char *text, *want;
} rows[] = {
	{ "", "" },
	{ "plain ~ text", "plain ~ text" },
	{ "a\tb", "a?b" },
	{ "new\nline\r", "new?line?" },
	{ "\x1b[31mred\x7f", "?[31mred?" },
	{ "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5" },
	{ "\xc2\x9b" "1m \xc2\xa0", "??1m \xc2\xa0" }, /* CSI, in 8 bits */
	{ "\x9b" "1m", "?1m" },
	{ "\xff\xfe\x80", "???" },
	{ "\xc3", "?" },
	{ "\xe2\x82", "??" },
	{ "\xe2\x82\x1b", "???" },
	{ "\xc0\x9b \xe0\x82\x9b \xf0\x80\x82\x9b", "?? ??? ????" }, /* overlong forms */
	{ "\xed\xa0\x80 \xf4\x90\x80\x80 \xf5\x80\x80\x80", "??? ???? ????" }, /* surrogates, beyond Unicode */
};

static void only_what_is_no_utf8_becomes_question_marks(void **state)
{
	static const struct {
		const char *text, *want;
	} texts[] = {
		{ "", "" },
		{ "\x1b[31m\n\xc2\x9b", "\x1b[31m\n\xc2\x9b" },
		{ "\xf0\x9f\x94\xa5 \xe2\x82\xac", "\xf0\x9f\x94\xa5 \xe2\x82\xac" },
		{ "a\xff\xc3\xbc\xc3", "a?\xc3\xbc?" },
		{ "\xed\xa0\x80", "???" },
	};
	char text[32];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(utf8__is_valid(texts[i].text), !strcmp(texts[i].text, texts[i].want));
		strcpy(text, texts[i].text);
		assert_ptr_equal(utf8__clean(text), text);
		assert_string_equal(text, texts[i].want);
		assert_true(utf8__is_valid(text));
	}
}

static void what_is_no_text_becomes_question_marks(void **state)
{
	char text[32];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		strcpy(text, rows[i].text);
		assert_ptr_equal(printable__clean(text), text);
		assert_string_equal(text, rows[i].want);
		assert_int_equal(printable__is_clean(rows[i].text), !strcmp(rows[i].text, rows[i].want));
		strcpy(text, rows[i].text);
		assert_int_equal(printable__clean_bytes(text, strlen(text)), strcmp(rows[i].text, rows[i].want) != 0);
	}
}

static void lines_keep_their_tabs(void **state)
{
	char text[] = "\ta\tb\x1b";

	assert_true(printable__clean_line(text, strlen(text)));
	assert_string_equal(text, "\ta\tb?");
	assert_false(printable__clean_line(text, strlen(text)));
}

static void bytes_behind_the_end_do_not_count(void **state)
{
	char text[] = "\xc3\xbc";

	assert_true(printable__clean_bytes(text, 1));
	assert_string_equal(text, "?\xbc");
}

static void a_nul_among_bytes_is_no_text(void **state)
{
	char text[] = "a\0b";

	assert_true(printable__clean_bytes(text, 3));
	assert_string_equal(text, "a?b");
}

static void a_copy_is_written(void **state)
{
	char *out = NULL;
	size_t size;
	FILE *fp = open_memstream(&out, &size);

	assert_non_null(fp);
	printable__fputs("a\nb", fp);
	assert_int_equal(fclose(fp), 0);
	assert_string_equal(out, "a?b");
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_text_becomes_question_marks),
		cmocka_unit_test(only_what_is_no_utf8_becomes_question_marks),
		cmocka_unit_test(lines_keep_their_tabs),
		cmocka_unit_test(bytes_behind_the_end_do_not_count),
		cmocka_unit_test(a_nul_among_bytes_is_no_text),
		cmocka_unit_test(a_copy_is_written),
	};

	return cmocka_run_group_tests_name("lib/printable", tests, NULL, NULL);
}
