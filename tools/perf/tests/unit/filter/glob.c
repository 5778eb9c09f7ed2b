// SPDX-License-Identifier: GPL-2.0
/* Patterns against fnmatch(3), through the whole way: text, automaton or masked compare, evaluator. */
#include <errno.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "util/filter/filter.h"

#define PATTERNS 20000
#define NAMES 20

static struct filter_table table;

static bool matches(const char *name)
{
	struct filter_sample s = { 0 };
	unsigned int i;

	for (i = 0; name[i]; i++)
		s.value[i < 8 ? FILTER_TERM_COMM_LO : FILTER_TERM_COMM_HI] |= (u64)(u8)name[i] << (i % 8 * 8);
	return filter_table__eval(&table, &s);
}

static int compile(const char *pattern)
{
	char text[128];
	struct errmsg err = { "" };
	int rc;

	snprintf(text, sizeof(text), "comm ~ \"%s\"", pattern);
	rc = filter__compile(text, &table, &err);
	if (rc && rc != -EINVAL)
		fail_msg("%s", err.text);
	return rc;
}

static void pick(char *s, unsigned int max, const char *const *pieces, unsigned int nr)
{
	unsigned int n = rand() % (max + 1);

	for (*s = '\0'; n; n--)
		strcat(s, pieces[rand() % nr]);
}

static void test_against_fnmatch(void **state)
{
	static const char *const in_pattern[] = { "a",	  "b",	  "-",	    "a",     "*",     "*", "?",
						  "[ab]", "[!a]", "[^b-]",  "[a-b]", "[]a]",  "[", "]",
						  "\\*",  "\\[",  "[\\]b]", "\\\\",  "[--a]", "!" };
	static const char *const in_name[] = { "a", "b", "c", "-", "]", "[", "*", "\\", "!", "a", "\xc3" };
	unsigned int i, k, compiled = 0, matched = 0;
	char pattern[128], name[FILTER_COMM_LEN];

	srand(42);
	for (i = 0; i < PATTERNS; i++) {
		pick(pattern, 8, in_pattern, ARRAY_SIZE(in_pattern));
		if (compile(pattern)) /* a lone '[' and the like, which fnmatch takes literally */
			continue;
		compiled++;
		for (k = 0; k < NAMES; k++) {
			pick(name, FILTER_COMM_LEN - 1, in_name, ARRAY_SIZE(in_name));
			if (k % 2)
				name[rand() % 4] = '\0';
			if (matches(name) != !fnmatch(pattern, name, 0))
				fail_msg("pattern %s, name %s: fnmatch says %d", pattern, name,
					 !fnmatch(pattern, name, 0));
			matched += matches(name);
		}
	}
	assert_true(compiled > PATTERNS / 2);
	assert_true(matched > compiled);
}

static void test_bounds(void **state)
{
	assert_int_equal(compile("???????????????"), 0);
	assert_true(matches("123456789012345"));
	assert_false(matches("12345678901234"));
	assert_int_equal(compile("????????????????"), -EINVAL);
	assert_int_equal(compile("*a*b*c*d*e*f*g*h*i*j*k*l*m*n*o*"), 0);
	assert_true(matches("abcdefghijklmno"));
	assert_false(matches("abcdefghijklmn"));
	assert_int_equal(compile(""), 0);
	assert_true(matches(""));
	assert_false(matches("a"));
	assert_int_equal(compile("*"), 0);
	assert_true(matches(""));
	assert_true(matches("abcdefghijklmno"));
	assert_int_equal(compile("12345678"), 0);
	assert_true(matches("12345678"));
	assert_false(matches("123456789"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_against_fnmatch), cmocka_unit_test(test_bounds) };

	return cmocka_run_group_tests_name("filter/glob", tests, NULL, NULL);
}
