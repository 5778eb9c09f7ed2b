// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "util/filter/filter.h"

static int find_field(void *data, const char *name, struct filter_field_desc *desc)
{
	static const struct {
		const char *name;
		struct filter_field_desc desc;
	} fields[] = {
		{ "prev_comm", { .size = 16, .kind = FILTER_FIELD_CHARS } },
		{ "prev_pid", { .size = 4, .kind = FILTER_FIELD_NUMBER, .is_signed = true } },
		{ "next_pid", { .size = 8, .kind = FILTER_FIELD_NUMBER } },
		{ "prev_state", { .size = 8, .kind = FILTER_FIELD_NUMBER, .is_signed = true } },
		{ "common_pid", { .size = 4, .kind = FILTER_FIELD_NUMBER, .is_signed = true } },
		{ "cpus", { .size = 2, .kind = FILTER_FIELD_NUMBER } },
		{ "offset", { .size = 8, .kind = FILTER_FIELD_NUMBER } },
		{ "dfd", { .size = 8, .kind = FILTER_FIELD_NUMBER, .is_narrow = true } },
		{ "array", { .size = 24, .kind = FILTER_FIELD_OTHER } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		*desc = fields[i].desc;
		if (!strcmp(fields[i].name, name))
			return 0;
	}
	return -ENOENT;
}

static bool points_to_user_text(void *data, const char *name)
{
	return !strcmp(name, "next_pid");
}

static const struct filter_env env = { .find_field = find_field };
static const struct filter_env user_env = { .find_field = find_field, .points_to_user_text = points_to_user_text };

static void assert_written(const struct filter_env *e, const char *text, const char *expected)
{
	struct errmsg err = { "" };
	struct filter *f;
	char *out;

	if (filter__parse(text, &f, &err) || filter__to_kernel(f, e, &out, &err))
		fail_msg("%s", err.text);
	assert_string_equal(out, expected);
	free(out);
	filter__delete(f);
}

static void assert_kernel(const char *text, const char *expected)
{
	assert_written(&env, text, expected);
}

static void assert_refused(const struct filter_env *e, const char *text, int rc, const char *message)
{
	struct errmsg err = { "" };
	struct filter *f;
	char *out;

	assert_int_equal(filter__parse(text, &f, &err), 0);
	assert_int_equal(filter__to_kernel(f, e, &out, &err), rc);
	assert_null(out);
	if (!strstr(err.text, message))
		fail_msg("%s: wants: %s", err.text, message);
	filter__delete(f);
}

static void test_logic(void **state)
{
	assert_kernel("prev_pid==1, next_pid==2", "prev_pid == 1 && next_pid == 2");
	assert_kernel("prev_pid==1 or next_pid==2, common_pid<3", "(prev_pid == 1 || next_pid == 2) && common_pid < 3");
	assert_kernel("!(prev_pid==1 && next_pid==2)", "!(prev_pid == 1 && next_pid == 2)");
	assert_kernel("not !prev_pid&1", "!(!(prev_pid & 1))");
	assert_kernel("prev_pid==1 || next_pid==2 && common_pid!=3",
		      "prev_pid == 1 || (next_pid == 2 && common_pid != 3)");
}

static void test_numbers(void **state)
{
	assert_kernel("prev_pid == 010", "prev_pid == 10"); /* the kernel would read octal */
	assert_kernel("prev_pid == 0xff", "prev_pid == 255");
	assert_kernel("prev_pid >= 2K", "prev_pid >= 2048");
	assert_kernel("prev_state > -1", "prev_state > -1");
	assert_kernel("prev_state == -9223372036854775808", "prev_state == -9223372036854775808");
	assert_kernel("prev_pid & 0xffffffff", "prev_pid & -1"); /* of a field with sign the kernel reads no number of 64 bits */
	assert_kernel("prev_state & 0xffffffffffffffff", "prev_state & -1");
	assert_refused(&env, "prev_state == -9223372036854775809", -EINVAL, "from -9223372036854775808 to 9223372036854775807");
	assert_refused(&env, "prev_pid == 99999999999999999999", -EINVAL, "is no value of prev_pid");
	assert_refused(&env, "array == 99999999999999999999", -EINVAL, "does not fit in 64 bits");
	assert_refused(&env, "cpu == -9223372036854775809", -EINVAL, "does not fit in 64 bits");
	assert_refused(&env, "prev_pid < abc", -EINVAL, "'abc' is not a number, which 'prev_pid <' needs here");
}

/* The kernel would compare with the lower bytes of such a number, and find others. */
static void test_too_large_for_the_field(void **state)
{
	assert_kernel("cpus == 65535", "cpus == 65535");
	assert_refused(&env, "cpus == 65536", -EINVAL, "'65536' is no value of cpus, which is from 0 to 65535");
	assert_refused(&env, "cpus == -1", -EINVAL, "'-1' is no value of cpus, which is from 0 to 65535");
	assert_refused(&env, "prev_pid in {1, 4294967416}", -EINVAL, "which is from -2147483648 to 2147483647");
	assert_refused(&env, "prev_pid in 1..4294967416", -EINVAL, "which is from -2147483648 to 2147483647");
	assert_refused(&env, "offset == 18446744073709551616", -EINVAL, "from 0 to 18446744073709551615");
}

/* The kernel takes no negative number for a field without sign. */
static void test_negative_bits(void **state)
{
	assert_kernel("offset == -1", "offset == 18446744073709551615");
	assert_kernel("offset != -1", "offset != 18446744073709551615");
	assert_kernel("offset & -4", "offset & 18446744073709551612");
	assert_kernel("offset in {-1,5}", "(offset == 18446744073709551615 || offset == 5)");
	assert_kernel("offset == -0", "offset == 0");
	assert_kernel("offset == -9223372036854775808", "offset == 9223372036854775808");
	assert_refused(&env, "offset == -9223372036854775809", -EINVAL, "is no value of offset");
	assert_refused(&env, "offset < -1", -EINVAL, "'-1' has no place in the order of offset");
	assert_refused(&env, "offset >= -1", -EINVAL, "'-1' has no place in the order of offset");
	assert_refused(&env, "offset in {1, -3..5}", -EINVAL, "'-3' has no place in the order of offset");
	assert_kernel("dfd == -100", "(dfd == 18446744073709551516 || dfd == 4294967196)");
	assert_kernel("dfd != -100", "(dfd != 18446744073709551516 && dfd != 4294967196)");
	assert_kernel("dfd & -4", "dfd & 4294967292");
	assert_kernel("dfd == 0xffffff9c", "dfd == 4294967196");
	assert_kernel("dfd == -2147483648", "(dfd == 18446744071562067968 || dfd == 2147483648)");
	assert_kernel("dfd == -2147483649", "dfd == 18446744071562067967");
	assert_kernel("!dfd in {-1,3}", "!(((dfd == 18446744073709551615 || dfd == 4294967295) || dfd == 3))");
}

static void test_sets(void **state)
{
	assert_kernel("prev_pid in {1}", "prev_pid == 1");
	assert_kernel("prev_pid in 1..5", "(prev_pid >= 1 && prev_pid <= 5)");
	assert_kernel("!prev_pid in {1,3..5}", "!((prev_pid == 1 || (prev_pid >= 3 && prev_pid <= 5)))");
	assert_kernel("prev_comm in {a,'b c'}", "(prev_comm == \"a\" || prev_comm == \"b c\")");
	assert_kernel("cpu in {0-3,5}", "((cpu >= 0 && cpu <= 3) || cpu == 5)");
	assert_refused(&env, "prev_comm in a..b", -EINVAL, "is not a number");
}

static void test_strings(void **state)
{
	assert_kernel("prev_comm == nginx", "prev_comm == \"nginx\"");
	assert_kernel("prev_comm != 'a\"b'", "prev_comm != 'a\"b'");
	assert_kernel("prev_comm != \"it\\'s\"", "prev_comm != \"it's\"");
	assert_kernel("comm == 123 && prev_comm != 123", "comm == \"123\" && prev_comm != \"123\""); /* since they are strings */
	assert_refused(&env, "prev_comm == 'a\"b\\'c'", -EOPNOTSUPP, "both kinds of quotes");
}

static void test_long_string(void **state)
{
	char text[300] = "prev_comm == ", expected[320];

	memset(text + 13, 'x', 255);
	snprintf(expected, sizeof(expected), "prev_comm == \"%s\"", text + 13);
	assert_kernel(text, expected);
	memset(text + 13, 'x', 256);
	assert_refused(&env, text, -EOPNOTSUPP, "at most 255 bytes");
}

static void test_texts_of_users(void **state)
{
	assert_written(&user_env, "next_pid == /etc", "next_pid.ustring == \"/etc\"");
	assert_written(&user_env, "next_pid in {a,b}", "(next_pid.ustring == \"a\" || next_pid.ustring == \"b\")");
	assert_written(&user_env, "next_pid !~ a*", "!(next_pid.ustring ~ \"a*\")");
	assert_written(&user_env, "next_pid == 0 && prev_comm == a", "next_pid == 0 && prev_comm == \"a\"");
	assert_refused(&user_env, "next_pid < a", -EINVAL, "'a' is not a number");
}

static void test_patterns(void **state)
{
	assert_kernel("prev_comm ~ ab*", "prev_comm ~ \"ab*\"");
	assert_kernel("prev_comm !~ *ab?", "!(prev_comm ~ \"*ab?\")");
	assert_kernel("prev_comm ~ **a**b", "prev_comm ~ \"*a*b\"");
	assert_kernel("prev_comm ~ 'a\\*\\\\b'", "prev_comm ~ \"a\\*\\\\b\"");
	/* in front, the kernel takes a digit for a literal pattern and '!' for an inversion */
	assert_kernel("prev_comm ~ 3*", "prev_comm ~ \"[3]*\"");
	assert_kernel("prev_comm ~ *3*", "prev_comm ~ \"*3*\"");
	assert_kernel("prev_comm ~ '!a*'", "prev_comm ~ \"\\!a*\"");
	/* its classes have no escapes, '^' is a member, and ']' '-' '!' mean something in some places */
	assert_kernel("prev_comm ~ [^a-c]*", "prev_comm ~ \"[!a-c]*\"");
	assert_kernel("prev_comm ~ '[a\\]]*'", "prev_comm ~ \"[]a]*\"");
	assert_kernel("prev_comm ~ '[\\!-]*'", "prev_comm ~ \"[-!]*\"");
	assert_kernel("prev_comm ~ '[!\\!]'", "prev_comm ~ \"[!!]\"");
	assert_kernel("prev_comm ~ '[]\\!a-]'", "prev_comm ~ \"[]a!-]\"");
	assert_kernel("prev_comm ~ '[\\!]x'", "prev_comm ~ \"\\!x\"");
	assert_refused(&env, "prev_comm ~ [a", -EINVAL, "'[' without its ']'");
}

static void test_generic(void **state)
{
	assert_kernel("CPU != 3 && COMM ~ k*", "CPU != 3 && COMM ~ \"k*\"");
	assert_refused(&env, "cpu & 1", -EOPNOTSUPP, "'&' cannot be used with cpu");
	assert_refused(&env, "cpu ~ 1*", -EOPNOTSUPP, "'~' cannot be used with cpu");
	assert_refused(&env, "cpu == x", -EINVAL, "is not a number");
	assert_refused(&env, "comm > a", -EOPNOTSUPP, "'>' cannot be used with comm");
	assert_refused(&env, "prev_pid == 1 || tid == 2", -EOPNOTSUPP, "'tid' is not a field of this tracepoint");
	assert_refused(&(struct filter_env){ 0 }, "prev_pid == 1", -EOPNOTSUPP, "'prev_pid' is not a field");
}

static void test_page(void **state)
{
	struct errmsg err = { "" };
	struct filter *f;
	char *text = NULL, *out;
	size_t len;
	FILE *fp = open_memstream(&text, &len);
	int i;

	for (i = 0; i < 1000; i++)
		fprintf(fp, "%sprev_pid!=%d000000", i ? "," : "", 1000 + i);
	fclose(fp);
	assert_int_equal(filter__parse(text, &f, &err), 0);
	assert_int_equal(filter__to_kernel(f, &env, &out, &err), -EOPNOTSUPP);
	assert_null(out);
	assert_non_null(strstr(err.text, "takes at most"));
	filter__delete(f);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_logic),	    cmocka_unit_test(test_numbers),  cmocka_unit_test(test_sets),
		cmocka_unit_test(test_strings),	    cmocka_unit_test(test_long_string), cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_generic),	    cmocka_unit_test(test_page),     cmocka_unit_test(test_texts_of_users),
		cmocka_unit_test(test_negative_bits), cmocka_unit_test(test_too_large_for_the_field),
	};

	return cmocka_run_group_tests_name("filter/kernel", tests, NULL, NULL);
}
