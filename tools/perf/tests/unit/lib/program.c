// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "util/lib/program.h"

struct lines {
	char text[64];
	int nr, refused; /* line number that is refused; 0: none */
};

static int take(const char *line, void *data)
{
	struct lines *lines = data;

	if (++lines->nr == lines->refused)
		return -EFBIG;
	if (strlen(lines->text) + strlen(line) + 2 < sizeof(lines->text))
		strcat(strcat(lines->text, line), ";");
	return 0;
}

static int run(const char *script, struct lines *lines)
{
	return program__for_each_line((char *const[]){ (char *)"/bin/sh", (char *)"-c", (char *)script, NULL }, take, lines);
}

static void lines_come_without_their_ends(void **state)
{
	struct lines lines = {};

	assert_int_equal(run("printf 'a\\n\\nb'", &lines), 0);
	assert_string_equal(lines.text, "a;;b;");
}

static void the_status_comes_back(void **state)
{
	struct lines lines = {};

	assert_int_equal(run("echo a; exit 3", &lines), 3);
	assert_string_equal(lines.text, "a;");
	assert_int_equal(run("kill -KILL $$", &lines), 128 + 9);
	assert_int_equal(program__for_each_line((char *const[]){ (char *)"/nonexistent/x", NULL }, take, &lines), -ENOENT);
}

static void a_line_may_end_it(void **state)
{
	struct lines lines = { .refused = 2 };

	assert_int_equal(run("while echo y; do :; done", &lines), -EFBIG);
	assert_int_equal(lines.nr, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_without_their_ends),
		cmocka_unit_test(the_status_comes_back),
		cmocka_unit_test(a_line_may_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
