// SPDX-License-Identifier: GPL-2.0
#include "util/lib/errmsg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void set_formats_and_returns_negative_errno(void **state)
{
	struct errmsg err;

	assert_int_equal(errmsg__set(&err, ENOENT, "no user \"%s\"", "nix"), -ENOENT);
	assert_string_equal(err.text, "no user \"nix\"");
}

static void set_without_errmsg_still_returns(void **state)
{
	assert_int_equal(errmsg__set(NULL, EPERM, "unseen"), -EPERM);
	errmsg__prefix(NULL, "unseen");
}

static void long_text_is_cut_and_terminated(void **state)
{
	char text[3000];
	struct errmsg err;

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	errmsg__set(&err, EINVAL, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	errmsg__prefix(&err, "place");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_memory_equal(err.text, "place: xxx", 10);
}

static void prefix_goes_before(void **state)
{
	struct errmsg err;

	errmsg__set(&err, EINVAL, "bad value");
	errmsg__prefix(&err, "event %d", 2);
	assert_string_equal(err.text, "event 2: bad value");
}

static int __attribute__((format(printf, 5, 6))) set_at(struct errmsg *err, const char *text, unsigned int begin,
							unsigned int end, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = errmsg__vset_at(err, EINVAL, "area", text, begin, end, fmt, ap);
	va_end(ap);
	return ret;
}

static void the_place_is_marked(void **state)
{
	struct errmsg err;

	assert_int_equal(set_at(&err, "one two", 4, 7, "no '%s'", "two"), -EINVAL);
	assert_string_equal(err.text, "area: no 'two'\n  one two\n      ^^^");
	set_at(&err, "one two", 4, 4, "here");
	assert_string_equal(err.text, "area: here\n  one two\n      ^");
	set_at(&err, "one", 3, 3, "more");
	assert_string_equal(err.text, "area: more\n  one\n     ^");
	set_at(&err, "\xc3\xa4\xc3\xb6 \t\x1b u\x7f", 4, 8, "columns, not bytes");
	assert_string_equal(err.text, "area: columns, not bytes\n  \xc3\xa4\xc3\xb6    u \n    ^^^^");
	assert_int_equal(set_at(NULL, "one", 0, 3, "unseen"), -EINVAL);
}

static void a_long_text_is_cut_between_characters(void **state)
{
	char text[601], *line, *mark;
	struct errmsg err;

	for (int i = 0; i < 200; i++)
		memcpy(text + 3 * i, "\xe2\x82\xac", 4); /* a euro sign */
	text[300] = '(';
	text[301] = text[302] = ' ';
	set_at(&err, text, 300, 303, "here");
	line = strchr(err.text, '\n') + 1;
	mark = strchr(line, '\n') + 1;
	assert_memory_equal(line, "  ...\xe2\x82\xac", 8);
	assert_int_equal(strcspn(mark, "^"), 2 + 3 + 36 / 3);
	assert_string_equal(strchr(mark, '^'), "^^^");
	assert_memory_equal(line + 2 + 3 + 36, "(  \xe2\x82\xac", 6);
	assert_memory_equal(mark - 1 - 6, "\xe2\x82\xac...", 6);

	/* nothing but bytes in the middle of characters: no column at all, and no end */
	memset(text, 0x80, sizeof(text) - 1);
	set_at(&err, text, 0, 600, "here");
	assert_string_equal(strrchr(err.text, '\n'), "\n  ^");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_formats_and_returns_negative_errno),
		cmocka_unit_test(set_without_errmsg_still_returns),
		cmocka_unit_test(long_text_is_cut_and_terminated),
		cmocka_unit_test(prefix_goes_before),
		cmocka_unit_test(the_place_is_marked),
		cmocka_unit_test(a_long_text_is_cut_between_characters),
	};

	return cmocka_run_group_tests_name("lib/errmsg", tests, NULL, NULL);
}
