// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/words.h"

static struct words *parse(const char *text)
{
	struct words *words;
	struct errmsg err;

	assert_int_equal(words__parse(text, &words, &err), 0);
	return words;
}

static void words_are_found_whole(void **state)
{
	struct words *words = parse("beta,alpha,,gamma delta");

	assert_true(words__has(words, "alpha"));
	assert_true(words__has(words, "beta"));
	assert_true(words__has(words, "gamma delta"));
	assert_false(words__has(words, "alph"));
	assert_false(words__has(words, "alpha1"));
	assert_false(words__has(words, ""));
	assert_false(words__has(words, NULL));
	assert_string_equal(words__at(words, 0), "alpha");
	assert_null(words__at(words, 3));
	words__delete(words);
}

static void an_empty_list_has_nothing(void **state)
{
	struct words *words = parse("");

	assert_false(words__has(words, "a"));
	assert_null(words__at(words, 0));
	words__delete(words);
}

static void a_file_stands_for_its_lines(void **state)
{
	char path[] = "/tmp/perf-words.XXXXXX", text[64];
	int fd = mkstemp(path);
	struct words *words;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "one\ntwo, three\n", 15), 15);
	close(fd);
	snprintf(text, sizeof(text), "zero,file://%s", path);
	words = parse(text);
	assert_true(words__has(words, "zero"));
	assert_true(words__has(words, "one"));
	assert_true(words__has(words, "two, three"));
	assert_false(words__has(words, "two"));
	words__delete(words);
	unlink(path);
}

static void a_file_that_is_missing_is_an_error(void **state)
{
	struct words *words;
	struct errmsg err;

	assert_int_equal(words__parse("a,file:///nonexistent/list", &words, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/list"));
}

/* A FIFO would wait for a writer, /dev/zero never ends. */
static void only_a_regular_file_of_a_limited_size_is_read(void **state)
{
	char path[] = "/tmp/perf-words.XXXXXX", text[64];
	int fd = mkstemp(path);
	struct words *words;
	struct errmsg err;

	assert_true(fd >= 0);
	snprintf(text, sizeof(text), "file://%s", path);
	assert_int_equal(words__parse("file:///dev/zero", &words, &err), -EINVAL);
	assert_string_equal(err.text, "cannot read the list /dev/zero: it is no regular file");
	words__delete(parse(text));
	assert_int_equal(ftruncate(fd, 64 << 20), 0);
	words__delete(parse(text));
	assert_int_equal(ftruncate(fd, (64 << 20) + 1), 0);
	assert_int_equal(words__parse(text, &words, &err), -EFBIG);
	assert_non_null(strstr(err.text, ": it is larger than 64 MiB"));
	close(fd);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(words__parse(text, &words, &err), -EINVAL);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_found_whole),
		cmocka_unit_test(an_empty_list_has_nothing),
		cmocka_unit_test(a_file_stands_for_its_lines),
		cmocka_unit_test(a_file_that_is_missing_is_an_error),
		cmocka_unit_test(only_a_regular_file_of_a_limited_size_is_read),
	};

	return cmocka_run_group_tests_name("lib/words", tests, NULL, NULL);
}
