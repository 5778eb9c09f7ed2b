// SPDX-License-Identifier: GPL-2.0
/* Random text must end in a table or in one message, never in a crash (which SAN=1 builds make sure to see). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "util/filter/filter.h"

#define TEXTS 50000

static const char *const pieces[] = {
	"tid", "comm", "cpu", "mode", "weight", "time", " ", "\t", "==", "!=", "<", ">=", "&", "~", "!~",
	"in", " in ", "{", "}", "..", ",", "(", ")", "!", "&&", "||", " and ", " or ", "not ", "1", "0-3",
	"4K", "-5", "18446744073709551615", "0x", "1.5s", "user", "a*", "[", "[!", "]", "?", "'", "\"", "\\",
	"'a b'", "\"x\\\"y\"", "=", "|", ";", "ü", "\x01", "\xff", ".", "/a/../b", "abcdefghijklmnop",
	"idle", "every ", "every 5", "sym", "dso", "rand", "10%", "nice", "-20", "mem_op", "load", "[kernel]", "libc.so.6:malloc", "a::b",
	"tid == 1", "comm ~ a*b", "cpu in {0-3}", "(tid == 1 || pid == 2)",
};

static void random_text(char *text, size_t size)
{
	unsigned int n = 1 + rand() % 12;

	text[0] = '\0';
	while (n--) {
		const char *piece = pieces[rand() % ARRAY_SIZE(pieces)];

		if (strlen(text) + strlen(piece) < size)
			strcat(text, piece);
	}
}

/* Names that begin with t are numbers, with c strings; so some are called like terms. */
static int find_field(void *data, const char *name, struct filter_field_desc *desc)
{
	*desc = (struct filter_field_desc){ .offset = 8, .size = 4, .kind = FILTER_FIELD_NUMBER };
	if (name[0] == 'c')
		desc->kind = strlen(name) == 3 ? FILTER_FIELD_DATA_LOC : FILTER_FIELD_CHARS;
	return name[0] == 't' || name[0] == 'c' ? 0 : -ENOENT;
}

/* More than there is room for in a message. */
static int for_each_field(void *data, int (*cb)(void *arg, const char *name), void *arg)
{
	int i, ret = 0;

	for (i = 0; i < 100 && !ret; i++)
		ret = cb(arg, i % 2 ? "another_field_of_it" : "x");
	return ret;
}

static void check_result(const char *text, int rc, const struct errmsg *err)
{
	const char *line;
	int lines = 1;

	if (!rc)
		return;
	if (rc != -EINVAL && rc != -E2BIG && rc != -EOPNOTSUPP)
		fail_msg("%s: %d", text, rc);
	for (line = strchr(err->text, '\n'); line; line = strchr(line + 1, '\n'))
		lines++;
	if (strncmp(err->text, "filter: ", 8) || (lines != 1 && lines != 3))
		fail_msg("%s: %s", text, err->text);
}

static void test_random_text(void **state)
{
	const struct filter_env env = { .find_field = find_field, .for_each_field = for_each_field };
	static struct filter_table table;
	unsigned int i, good = 0, good_for_tracepoint = 0;
	struct filter *f;
	char text[256], *out;
	int rc;

	srand(1);
	for (i = 0; i < TEXTS; i++) {
		struct errmsg err = { "" };

		random_text(text, sizeof(text));
		rc = filter__parse(text, &f, &err);
		check_result(text, rc, &err);
		if (rc)
			continue;
		rc = filter__to_kernel(f, &env, &out, &err);
		check_result(text, rc, &err);
		free(out);
		rc = filter__check(f, &env, &err);
		if (!rc)
			rc = filter__lower(f, &table, &err);
		check_result(text, rc, &err);
		good_for_tracepoint += !rc;
		rc = filter__check(f, NULL, &err);
		if (!rc)
			rc = filter__lower(f, &table, &err);
		check_result(text, rc, &err);
		good += !rc;
		filter__delete(f);
	}
	assert_true(good > TEXTS / 200);
	assert_true(good_for_tracepoint > TEXTS / 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_text) };

	return cmocka_run_group_tests_name("filter/garbage", tests, NULL, NULL);
}
