// SPDX-License-Identifier: GPL-2.0
/* Filters that name fields of a tracepoint. That their tables judge rightly is for lower.c to find out. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "util/filter/filter.h"

#define AT(o, s, k, ...) { .offset = (o), .size = (s), .kind = FILTER_FIELD_##k, ##__VA_ARGS__ }

static const struct {
	const char *name;
	struct filter_field_desc desc;
} fields[] = {
	{ "byte", AT(12, 1, NUMBER) },
	{ "ulong", AT(24, 8, NUMBER) },
	{ "pointer", AT(24, 8, NUMBER) },
	{ "short_pointer", AT(12, 4, NUMBER) },
	{ "lasted", AT(24, 8, NUMBER, .is_time = true) },
	{ "narrow", AT(24, 8, NUMBER, .is_narrow = true) },
	{ "slong", AT(32, 8, NUMBER, .is_signed = true) },
	{ "sint", AT(40, 4, NUMBER, .is_signed = true) },
	{ "pid", AT(20, 4, NUMBER, .is_signed = true) },
	{ "title", AT(48, 16, CHARS) },
	{ "odd", AT(66, 10, CHARS) },
	{ "path", AT(8, 4, DATA_LOC) },
	{ "args", AT(80, 48, OTHER) },
	{ "some", AT(128, 8, NUMBER, .guard = 1) },
	{ "some_pointer", AT(136, 8, NUMBER, .guard = 3) },
	{ "behind", AT(512, 4, NUMBER) },
	{ "common_pid", AT(4, 4, NUMBER, .is_signed = true) },
	{ "common_flags", AT(2, 1, NUMBER) },
	{ "broken", AT(0, 0, OTHER) },
};

static int find_field(void *data, const char *name, struct filter_field_desc *desc)
{
	unsigned int i;

	if (!strcmp(name, "broken"))
		return -EIO;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!strcmp(name, fields[i].name)) {
			*desc = fields[i].desc;
			return 0;
		}
	}
	return -ENOENT;
}

static int for_each_field(void *data, int (*cb)(void *arg, const char *name), void *arg)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(fields) && !ret; i++)
		ret = cb(arg, fields[i].name);
	return ret;
}

static bool points_to_text(void *data, const char *name)
{
	return strstr(name, "pointer");
}

static const struct filter_env env = { .find_field = find_field, .for_each_field = for_each_field, .points_to_user_text = points_to_text };

static int compile(const char *text, struct filter_table *table, struct errmsg *err)
{
	struct filter *f;
	int rc = filter__parse(text, &f, err);

	if (rc)
		return rc;
	rc = filter__check(f, &env, err);
	if (!rc)
		rc = filter__lower(f, table, err);
	filter__delete(f);
	return rc;
}

/* The table as it is dumped */
static void assert_table(const char *text, const char *expected)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	char *dump = NULL;
	size_t len;
	FILE *fp = open_memstream(&dump, &len);

	if (compile(text, &table, &err))
		fail_msg("%s", err.text);
	filter_table__dump(&table, fp);
	fclose(fp);
	if (strcmp(dump, expected))
		fail_msg("%s:\n%swants:\n%s", text, dump, expected);
	free(dump);
}

static void assert_entries(const char *text, unsigned int nr)
{
	static struct filter_table table;
	struct errmsg err = { "" };

	if (compile(text, &table, &err))
		fail_msg("%s", err.text);
	if (table.nr != nr)
		fail_msg("%s: %u entries, not %u", text, table.nr, nr);
}

static void assert_refused(const char *text, int rc, unsigned int column, const char *message)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	const char *caret;

	assert_int_equal(compile(text, &table, &err), rc);
	if (!strstr(err.text, message))
		fail_msg("%s: wants: %s", err.text, message);
	caret = strrchr(err.text, '\n');
	assert_non_null(caret);
	if (strspn(caret + 1, " ") != column + 2)
		fail_msg("%s: wants column %u", err.text, column);
	assert_int_equal(compile(text, &table, NULL), rc);
}

static void numbers(void **state)
{
	assert_table("byte == 0x10", " 0: record[8] >> 32 & 0xff == 0x10 ? accept : reject\n");
	assert_table("byte & 6", " 0: record[8] >> 32 & 0x6 > 0x0 ? accept : reject\n");
	assert_table("ulong > 4K", " 0: record[24] >= 0x1001 ? accept : reject\n");
	assert_refused("ulong < 0", -EINVAL, 8, "'0' has nothing below it: ulong has no sign in the format");
	assert_table("byte > 255", " 0: record[8] >> 32 & 0xff < 0x0 ? accept : reject\n");
	assert_table("slong != -1", " 0: record[32] >= 0xffffffffffffffff ? reject : accept\n");
	assert_table("slong < 0", " 0: record[32] >= 0x8000000000000000 ? accept : reject\n");
	assert_table("slong >= 0", " 0: record[32] <= 0x7fffffffffffffff ? accept : reject\n");
	assert_table("sint > 0", " 0: record[40] & 0xffffffff >= 0x1 ? 1 : reject\n"
				 " 1: record[40] & 0xffffffff <= 0x7fffffff ? accept : reject\n");
	assert_table("sint & 0x80000001", " 0: record[40] & 0x80000001 > 0x0 ? accept : reject\n");
	assert_table("sint & -1", " 0: record[40] & 0xffffffff > 0x0 ? accept : reject\n");
	assert_entries("sint >= -2147483648", 1);
	assert_entries("sint in {-1,0}", 2); /* the ends of what bits can be */
	assert_entries("sint in {-5..-2, 3, -1, 4..10}", 3);
	assert_entries("sint in -2147483648..2147483647", 1);
	assert_entries("byte in {1,2,3} || byte in 0..255", 3);
}

/* Of a register of 8 bytes, which the format shows without sign. */
static void negative_bits(void **state)
{
	assert_table("ulong == -1", " 0: record[24] >= 0xffffffffffffffff ? accept : reject\n");
	assert_table("ulong == -9223372036854775808", " 0: record[24] == 0x8000000000000000 ? accept : reject\n");
	assert_table("ulong & -4", " 0: record[24] & 0xfffffffffffffffc > 0x0 ? accept : reject\n");
	assert_table("narrow == -100", " 0: record[24] == 0xffffff9c ? accept : 1\n"
				       " 1: record[24] == 0xffffffffffffff9c ? accept : reject\n");
	assert_table("narrow != -100", " 0: record[24] == 0xffffff9c ? reject : 1\n"
				       " 1: record[24] == 0xffffffffffffff9c ? reject : accept\n");
	assert_table("lasted == 1.5ms", " 0: record[24] == 0x16e360 ? accept : reject\n");
	assert_table("lasted == 2K", " 0: record[24] == 0x800 ? accept : reject\n");
	assert_refused("ulong > 5ms", -EINVAL, 8, "ulong takes a number (decimal, 0x hexadecimal, or with K, M or G), not '5ms'");
	assert_table("narrow & -4", " 0: record[24] & 0xfffffffc > 0x0 ? accept : reject\n");
	assert_table("narrow == 0xffffff9c", " 0: record[24] == 0xffffff9c ? accept : reject\n");
	assert_entries("narrow in {-2147483649}", 1);
	assert_entries("narrow in {-2147483648, 5..7}", 4); /* the range and both forms */
}

static void strings(void **state)
{
	/* "dd" with its NUL in one word; "12345678" has its NUL in the next */
	assert_table("title == dd", " 0: record[48] & 0xffffff == 0x6464 ? accept : reject\n");
	assert_table("title != 12345678", " 0: record[48] == 0x3837363534333231 ? 1 : accept\n"
					  " 1: record[56] & 0xff == 0x0 ? reject : accept\n");
	assert_table("title ~ 1234567890*", " 0: record[48] == 0x3837363534333231 ? 1 : reject\n"
					    " 1: record[56] & 0xffff == 0x3039 ? accept : reject\n");
	assert_table("odd ~ ab*", " 0: record[64] & 0xffff0000 == 0x62610000 ? accept : reject\n");
	assert_table("title ~ *", " 0: record[48] & 0x0 == 0x0 ? accept : reject\n");
	assert_table("title == ''", " 0: record[48] & 0xff == 0x0 ? accept : reject\n");
	assert_table("title ~ *a || title ~ 'a?'", " 0: field-matches(#0, #1) == 0x1 ? accept : 1\n"
						   " 1: field-matches(#0, #0) == 0x1 ? accept : reject\n");
	assert_table("path in {/bin/dd, 7} || odd ~ *x || path == /bin/dd", " 0: field-is(#0, #0) == 0x1 ? accept : 1\n"
		     " 1: field-is(#0, #1) == 0x1 ? accept : 2\n"
		     " 2: field-matches(#1, #0) == 0x1 ? accept : 3\n"
		     " 3: field-is(#0, #0) == 0x1 ? accept : reject\n");
	assert_entries("title == exactly-16-bytes", 2);
	assert_entries("odd == exactly-10", 2);
}

/* A pointer is a number, unless it is compared with what is none. */
static void texts_behind_pointers(void **state)
{
	static struct filter_table table;

	assert_table("pointer == 0", " 0: record[24] <= 0x0 ? accept : reject\n");
	assert_table("pointer in {0, 5..7}", " 0: record[24] <= 0x0 ? accept : 1\n"
					     " 1: record[24] >= 0x5 ? 2 : reject\n"
					     " 2: record[24] <= 0x7 ? accept : reject\n");
	assert_table("pointer == /etc/passwd", " 0: field-is(#0, #0) == 0x1 ? accept : reject\n");
	assert_table("pointer != '0'", " 0: field-is(#0, #0) == 0x1 ? reject : accept\n");
	assert_table("pointer ~ 0* && pointer > 0", " 0: record[24] >= 0x1 ? 1 : reject\n"
						    " 1: field-is(#0, #0) == 0x1 ? accept : reject\n");
	assert_table("pointer in {a, b} || pointer !~ *c", " 0: field-is(#0, #1) == 0x1 ? accept : 1\n"
							   " 1: field-is(#0, #0) == 0x1 ? accept : 2\n"
							   " 2: field-matches(#0, #0) == 0x1 ? reject : accept\n");
	assert_int_equal(compile("pointer ~ a*", &table, NULL), 0);
	assert_int_equal(table.nr_fields, 1);
	assert_int_equal(table.words.field[0].kind, FILTER_FIELD_USER_TEXT);
	assert_int_equal(table.words.field[0].offset, 24);
	assert_int_equal(table.words.record_len, 32);
	assert_refused("pointer in {a, 0}", -EINVAL, 12, "pointer takes a number");
	assert_refused("pointer in a..b", -EINVAL, 11, "pointer takes a number");
	assert_refused("pointer < a", -EINVAL, 10, "pointer takes a number");
	assert_refused("pointer", -EINVAL, 7, "expected an operator");
	assert_refused("short_pointer == a", -EINVAL, 17, "short_pointer takes a number");
	assert_refused("ulong == a", -EINVAL, 9, "ulong takes a number");
}

/* What takes long comes last, unless it would be asked another number of times. */
static void order(void **state)
{
	assert_table("path == a && ulong == 1", " 0: record[24] == 0x1 ? 1 : reject\n"
						" 1: field-is(#0, #0) == 0x1 ? accept : reject\n");
	assert_table("path == a && every 2", " 0: field-is(#0, #0) == 0x1 ? 1 : reject\n"
					     " 1: every(#0) == 0x1 ? accept : reject\n");
}

static void names(void **state)
{
	/* a field goes before a term */
	assert_table("pid == 5 && tid == 6 && comm == a", " 0: record[16] >> 32 & 0xffffffff == 0x5 ? 1 : reject\n"
							 " 1: tid == 0x6 ? 2 : reject\n"
							 " 2: comm[0-7] & 0xffff == 0x61 ? accept : reject\n");
	assert_table("common_pid == 5", " 0: tid == 0x5 ? accept : reject\n");
	assert_refused("common_pid == -1", -EINVAL, 14, "'-1' is no value of common_pid, which is from 0 to 2147483647");
	assert_refused("ulong == 1 && common_flags == 1", -EINVAL, 14, "'common_flags' is in the header of the record");
	assert_refused("addr == 1", -EINVAL, 0, "'addr' is a term that a tracepoint does not have. Its fields are: byte ulong ");
	assert_refused("sym == main", -EINVAL, 0, "'sym' is a term that a tracepoint does not have");
	assert_refused("tid == 1 || utlong == 1", -EINVAL, 12, "is neither a field of this tracepoint nor a term; did you mean 'ulong'?");
	assert_refused("tdi == 1", -EINVAL, 0, "did you mean 'tid'?");
	assert_refused("weigth == 1", -EINVAL, 0, "nor a term. The fields are: byte"); /* 'weight' would not do */
	assert_refused("zzz == 1", -EINVAL, 0, "the terms are: tid pid ppid cpu time uid gid comm cgroup mode prio nice idle rand every");
	assert_refused("args == 1", -EINVAL, 0, "'args' is a field that is neither a number nor a string");
	assert_refused("behind == 1", -EINVAL, 0, "'behind' lies behind the first 512 bytes of the record");
	assert_refused("broken == 1", -EIO, 0, "'broken' cannot be looked up: Input/output error");
}

static int many_fields(void *data, int (*cb)(void *arg, const char *name), void *arg)
{
	char name[32];
	int i, ret = 0;

	for (i = 0; i < 100 && !ret; i++) {
		snprintf(name, sizeof(name), "field_number_%d", i);
		ret = cb(arg, name);
	}
	return ret;
}

static void long_lists(void **state)
{
	const struct filter_env many = { .find_field = find_field, .for_each_field = many_fields };
	struct errmsg err = { "" };
	struct filter *f;

	assert_int_equal(filter__parse("zzz == 1", &f, &err), 0);
	assert_int_equal(filter__check(f, &many, &err), -EINVAL);
	assert_non_null(strstr(err.text, " field_number_2 "));
	assert_non_null(strstr(err.text, " ...; the terms are: tid "));
	assert_non_null(strstr(err.text, "every\n  zzz == 1\n  ^"));
	filter__delete(f);
}

static void wrong_values(void **state)
{
	assert_refused("byte == 256", -EINVAL, 8, "'256' is no value of byte, which is from 0 to 255");
	assert_refused("byte == -1", -EINVAL, 8, "'-1' is no value of byte, which is from 0 to 255");
	assert_refused("ulong < -1", -EINVAL, 8, "'-1' has no place in the order of ulong, which has no sign");
	assert_refused("ulong in {1, 3..-1}", -EINVAL, 16, "'-1' has no place in the order of ulong, which has no sign");
	assert_refused("ulong == -9223372036854775809", -EINVAL, 9, "from 0 to 18446744073709551615");
	assert_refused("sint == 2147483648", -EINVAL, 8, "which is from -2147483648 to 2147483647");
	assert_refused("sint in {0, -2147483649..1}", -EINVAL, 12, "which is from -2147483648 to 2147483647");
	assert_refused("slong == 9223372036854775808", -EINVAL, 9, "from -9223372036854775808 to 9223372036854775807");
	assert_refused("ulong == 18446744073709551616", -EINVAL, 9, "from 0 to 18446744073709551615");
	assert_refused("sint in 3..-3", -EINVAL, 8, "this range is empty");
	assert_refused("sint == abc", -EINVAL, 8, "sint takes a number (decimal, 0x hexadecimal, or with K, M or G), not 'abc'");
	assert_refused("sint == '5'", -EINVAL, 8, "sint takes a number");
	assert_refused("sint ~ 5*", -EINVAL, 5, "'~' cannot be used with sint; it takes: == != > >= < <= & in");
	assert_refused("sint", -EINVAL, 4, "expected an operator");
	assert_refused("title < a", -EINVAL, 6, "'<' cannot be used with title; it takes: == != in ~ !~");
	assert_refused("title in a..b", -EINVAL, 9, "there are no ranges of strings");
	assert_refused("title == a*", -EINVAL, 9, "is a pattern, which goes after '~'");
	assert_refused("title == 12345678901234567", -EINVAL, 9, "can never match: of title 16 bytes are compared");
	assert_refused("odd ~ *12345678901", -EINVAL, 6, "can never match: of odd 10 bytes are compared");
	assert_refused("path ~ [a", -EINVAL, 7, "'[' without its ']'");
	assert_refused("path ~ *12345678901234567890123456789012", -EINVAL, 7, "a pattern of a field has at most 31 characters");
}

static void assert_compiles(int rc, const char *fmt, const char *arg, const char *message)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	char *text;

	assert_true(asprintf(&text, fmt, arg) > 0);
	assert_int_equal(compile(text, &table, &err), rc);
	if (rc && !strstr(err.text, message))
		fail_msg("%s: wants: %s", err.text, message);
	free(text);
}

static void limits(void **state)
{
	char name[256];

	memset(name, 'x', sizeof(name));
	name[254] = '\0';
	assert_compiles(0, "path == %s", name, NULL);
	assert_compiles(0, "path ~ %s*", name, NULL);
	name[254] = 'x';
	name[255] = '\0';
	assert_compiles(-EINVAL, "path == %s", name, "of path 254 bytes are compared");
	assert_compiles(0, "path in {a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,%s}", "p", NULL);
	assert_compiles(-E2BIG, "path in {a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,%s}", "q", "17 different strings of fields, and 16 is the limit");
	assert_compiles(0, "path in {a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,%s}", "a", NULL);
}

static void what_is_needed(void **state)
{
	static struct filter_table table;

	assert_int_equal(compile("ulong == 1 && title == a && uid == 0", &table, NULL), 0);
	assert_true(table.sample_type == PERF_SAMPLE_RAW);
	assert_int_equal(table.words.record_len, 56);
	assert_int_equal(compile("odd ~ *a || tid == 1", &table, NULL), 0);
	assert_true(table.sample_type == (PERF_SAMPLE_RAW | PERF_SAMPLE_TID));
	assert_int_equal(table.words.record_len, 80);
	assert_int_equal(compile("comm == a", &table, NULL), 0);
	assert_int_equal(table.words.record_len, 0);
}

/* A tree may be checked for BPF after it was found that the kernel cannot judge it, and the other way round. */
static void both_languages(void **state)
{
	struct errmsg err = { "" };
	struct filter *f;
	char *out;

	assert_int_equal(filter__parse("cpu in {0-3} && ulong == 1", &f, &err), 0);
	assert_int_equal(filter__check(f, &env, &err), 0);
	assert_int_equal(filter__to_kernel(f, &env, &out, &err), 0);
	assert_string_equal(out, "(cpu >= 0 && cpu <= 3) && ulong == 1");
	assert_int_equal(filter__check(f, &env, &err), 0);
	assert_int_equal(filter__check(f, NULL, &err), -EINVAL);
	free(out);
	filter__delete(f);
}

/* The first word of a record tells whether it has them. Then alone a test is run, and whatever it is, it is false for other records. */
static void guarded_fields(void **state)
{
	assert_table("some == 3", " 0: record[0] & 0x1 == 0x1 ? 1 : reject\n"
				  " 1: record[128] == 0x3 ? accept : reject\n");
	assert_table("some != 3", " 0: record[0] & 0x1 == 0x1 ? 1 : reject\n"
				  " 1: record[128] == 0x3 ? reject : accept\n");
	assert_table("!(some == 3)", " 0: record[0] & 0x1 == 0x1 ? 1 : accept\n"
				     " 1: record[128] == 0x3 ? reject : accept\n");
	assert_table("some_pointer !~ *a", " 0: record[0] >> 2 & 0x1 == 0x1 ? 1 : reject\n"
					   " 1: field-matches(#0, #0) == 0x1 ? reject : accept\n");
}

static int count_name(void *arg, const char *name, unsigned int len)
{
	unsigned int *nr = arg;

	*nr = *nr * 10 + len;
	return 0;
}

static void names_of_tests(void **state)
{
	struct errmsg err;
	struct filter *f;
	unsigned int lengths = 0;

	assert_int_equal(filter__parse("a == 1 && !(bb > 2 || ccc ~ x)", &f, &err), 0);
	assert_int_equal(filter__for_each_test(f, count_name, &lengths), 0);
	assert_int_equal(lengths, 123);
	filter__delete(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers), cmocka_unit_test(negative_bits),	cmocka_unit_test(strings),
		cmocka_unit_test(texts_behind_pointers), cmocka_unit_test(order),
		cmocka_unit_test(names),	cmocka_unit_test(long_lists), cmocka_unit_test(wrong_values), cmocka_unit_test(limits),
		cmocka_unit_test(what_is_needed), cmocka_unit_test(both_languages), cmocka_unit_test(guarded_fields),
		cmocka_unit_test(names_of_tests),
	};

	return cmocka_run_group_tests_name("filter/field", tests, NULL, NULL);
}
