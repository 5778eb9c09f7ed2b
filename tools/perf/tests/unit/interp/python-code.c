// SPDX-License-Identifier: GPL-2.0
/* What CPython's code objects say: texts and tables of lines, written by hand after Objects/locations.md. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "util/interp/python-code.h"

static void is_text(const char *want, struct interp_text text, const void *bytes)
{
	char *got = python_text__decode(&text, bytes);

	assert_string_equal(got, want);
	free(got);
}

static void texts_are_utf8(void **state)
{
	static const u16 wide[] = { 0x3bb, 0x6f22 };
	static const u32 wider[] = { 0x1d4d0, 0x110000, 0xd800 };

	is_text("main", (struct interp_text){ .bytes = 4, .length = 4, .width = 1, .ascii = 1 }, "main");
	is_text("gr\xc3\xbc\xc3\x9f" "e", (struct interp_text){ .bytes = 5, .length = 5, .width = 1 }, "gr\xfc\xdf" "e");
	is_text("\xce\xbb\xe6\xbc\xa2", (struct interp_text){ .bytes = 4, .length = 2, .width = 2 }, wide);
	is_text("\xf0\x9d\x93\x90??", (struct interp_text){ .bytes = 12, .length = 3, .width = 4 }, wider);
}

static void texts_are_safe_to_print(void **state)
{
	is_text("a?b?[31m?", (struct interp_text){ .bytes = 9, .length = 9, .width = 1, .ascii = 1 }, "a\nb\x1b[31m\x7f");
	is_text("?", (struct interp_text){ .bytes = 1, .length = 1, .width = 1 }, "\x9b");
	is_text("a?b?", (struct interp_text){ .bytes = 8, .length = 4, .width = 2 }, (const u16[]){ 'a', 0x202e, 'b', 0x2028 });
	is_text("xx...", (struct interp_text){ .bytes = 2, .length = 1000, .width = 1, .ascii = 1 }, "xx");
	is_text("...", (struct interp_text){ .bytes = 1, .length = 1, .width = 2 }, "x"); /* half a character */
}

#define ENTRY(kind, units) (0x80 | (kind) << 3 | ((units) - 1))

static enum python_lines kind_of_lines;

static void are_lines(const u8 *table, size_t size, u32 bytes, const struct interp_line *want, u32 nr_want)
{
	struct interp_line *line;
	u32 nr;

	assert_int_equal(python_lines__decode(kind_of_lines, table, size, 10, bytes, &line, &nr), 0);
	assert_int_equal(nr, nr_want);
	assert_memory_equal(line, want, nr * sizeof(*line));
	free(line);
}

static int new_lines(void **state)
{
	kind_of_lines = PYTHON_LOCATIONS;
	return 0;
}

static void tables_of_3_9_are_known(void **state)
{
	static const u8 table[] = { 0, 1, 6, 1, 8, 0xfe, 255, 0, 1, 127, 0, 127, 2, 1 };
	static const struct interp_line want[] = { { 0, 11 }, { 6, 12 }, { 14, 10 }, { 270, 264 }, { 272, 265 } };

	kind_of_lines = PYTHON_LNOTAB;
	are_lines(table, sizeof(table), 300, want, ARRAY_SIZE(want));
	are_lines(table, sizeof(table) - 1, 300, want, 4); /* half an entry */
	are_lines(table, 0, 300, (const struct interp_line[]){ { 0, 10 } }, 1);
}

static void tables_of_3_10_are_known(void **state)
{
	static const u8 table[] = { 4, 1, 2, 0, 6, 0x80, 0, 127, 0, 100, 2, 1, 254, 0xff, 2, 0 };
	static const struct interp_line want[] = { { 0, 11 }, { 6, 0 }, { 12, 239 }, { 14, 238 } };

	kind_of_lines = PYTHON_LINETABLE;
	are_lines(table, sizeof(table), 300, want, ARRAY_SIZE(want));
	are_lines(table, sizeof(table), 12, want, 2);
	are_lines(table, 0, 300, want, 0);
}

static void each_kind_of_entry_is_known(void **state)
{
	static const u8 table[] = {
		ENTRY(15, 1),			  /* no line */
		ENTRY(10, 2), 0, 0,		  /* the first line */
		ENTRY(0, 8), 0,			  /* the same */
		ENTRY(11, 1), 1, 2,		  /* one more */
		ENTRY(12, 1), 1, 2,		  /* two more */
		ENTRY(13, 3), 7,		  /* -3 */
		ENTRY(14, 1), 0x48, 0x03, 1, 2, 3, /* +100, with columns */
		ENTRY(9, 1), 0xff,		  /* a byte of columns that looks like an entry */
	};
	static const struct interp_line want[] = { { 0, 0 }, { 2, 10 }, { 22, 11 }, { 24, 13 }, { 26, 10 }, { 32, 110 } };

	are_lines(table, sizeof(table), 36, want, ARRAY_SIZE(want));
	are_lines(table, sizeof(table), 26, want, 4); /* what is behind the bytecode does not matter */
	are_lines(table, 0, 36, want, 0);
}

/* A table that ends early, or is none, gives the lines up to there. */
static void damaged_tables_end(void **state)
{
	static const u8 cut[] = { ENTRY(10, 1), 0, 0, ENTRY(14, 1), 0x48 }, none[] = { ENTRY(10, 1), 0, 0, 0x12, 1, 2 };
	static const u8 endless[] = { ENTRY(13, 1), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const struct interp_line first = { 0, 10 };

	are_lines(cut, sizeof(cut), 100, &first, 1);
	are_lines(none, sizeof(none), 100, &first, 1);
	are_lines(endless, sizeof(endless), 100, &first, 0);
}

static void messages_are_checked(void **state)
{
	static struct interp_code code;
	static struct interp_file file;
	struct interp_function fn;

	code = (struct interp_code){ .bytes = 4, .first_line = 7, .name = { 1, 1, 1, 1 }, .path = { 1, 1, 1, 1 }, .name_text = "f", .path_text = "p" };
	assert_int_equal(python_code__describe(&code, &file, &fn), 0);
	assert_string_equal(fn.name, "f");
	assert_string_equal(fn.path, "p");
	interp_function__exit(&fn);
	code.name.bytes = sizeof(code.name_text) + 1;
	assert_int_equal(python_code__describe(&code, &file, &fn), -EINVAL);
	code.name.bytes = 1;
	code.path.width = 3;
	assert_int_equal(python_code__describe(&code, &file, &fn), -EINVAL);
	code.path.width = 1;
	code.nr_lines = sizeof(code.lines) + 1;
	assert_int_equal(python_code__describe(&code, &file, &fn), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_utf8),
		cmocka_unit_test(texts_are_safe_to_print),
		cmocka_unit_test_setup(each_kind_of_entry_is_known, new_lines),
		cmocka_unit_test_setup(damaged_tables_end, new_lines),
		cmocka_unit_test(tables_of_3_9_are_known),
		cmocka_unit_test(tables_of_3_10_are_known),
		cmocka_unit_test(messages_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
