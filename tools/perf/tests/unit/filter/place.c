// SPDX-License-Identifier: GPL-2.0
/* sym and dso: what they are looked up as, what they become, and in which order tests are made. */
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

#define KERNEL 0xffffffff81000000ULL

static const struct filter_file_id libc = { 0x800001, 17, "libc.so.6" };
static const struct {
	const char *dso;
	struct filter_symbol sym;
} symbols[] = {
	{ NULL, { "vfs_read", KERNEL, KERNEL + 0xff, NULL } },
	{ NULL, { "vfs_write", KERNEL + 0x100, KERNEL + 0x1ff, NULL } },
	{ NULL, { "poll", KERNEL + 0x300, KERNEL + 0x3ff, NULL } },
	{ NULL, { "poll", KERNEL + 0x800, KERNEL + 0x8ff, NULL } },
	{ "libc.so.6", { "malloc", 0x1000, 0x10ff, &libc } },
	{ "libc.so.6", { "ns::run(int)", 0x1800, 0x18ff, &libc } },
};

#define NR_ISLANDS 1100 /* functions that no other touches: "a0", "a1", ... of "many.so" */

static int show_islands(int (*cb)(void *arg, const struct filter_symbol *sym), void *arg)
{
	char name[16];
	int rc = 0;

	for (u64 i = 0; i < NR_ISLANDS && rc >= 0; i++) {
		struct filter_symbol sym = { name, i * 0x100, i * 0x100 + 0xf, &libc };

		snprintf(name, sizeof(name), "a%u", (unsigned int)i);
		rc = cb(arg, &sym);
	}
	return rc;
}

static int for_each_symbol(void *data, const char *dso, int (*cb)(void *arg, const struct filter_symbol *sym), void *arg,
			   const char **scope, struct errmsg *err)
{
	int rc = 0;

	*scope = "the kernel";
	if (dso && !strcmp(dso, "many.so"))
		return show_islands(cb, arg);
	if (dso && !strcmp(dso, "broken.so"))
		return errmsg__set(err, ENOEXEC, "broken.so: not an ELF file");
	for (size_t i = 0; i < ARRAY_SIZE(symbols) && rc >= 0; i++) {
		bool in = dso ? symbols[i].dso && !strcmp(symbols[i].dso, dso) : !symbols[i].dso;

		if (in)
			rc = cb(arg, &symbols[i].sym);
	}
	return rc;
}

static int identify_file(void *data, const char *path, struct filter_file_id *id, struct errmsg *err)
{
	if (!strcmp(path, "/lib/libc.so.6"))
		*id = libc;
	else if (!strcmp(path, "/overlay/app"))
		*id = (struct filter_file_id){ 0, 99, "app" };
	else
		return errmsg__set(err, ENOENT, "%s: there is none", path);
	return 0;
}

static const struct filter_env env = { .for_each_symbol = for_each_symbol, .identify_file = identify_file };

static int compile(const char *text, const struct filter_env *e, struct filter_table *table, struct errmsg *err)
{
	struct filter *f;
	int rc = filter__parse(text, &f, err);

	if (rc)
		return rc;
	rc = filter__check(f, e, err);
	if (!rc)
		rc = filter__lower(f, table, err);
	filter__delete(f);
	return rc;
}

/* The table as filter_table__dump() writes it */
static void assert_table(const char *text, const char *expected)
{
	static struct filter_table table;
	struct errmsg err = { "" };
	char *dump = NULL;
	size_t len;
	FILE *fp;

	if (compile(text, &env, &table, &err))
		fail_msg("%s", err.text);
	fp = open_memstream(&dump, &len);
	filter_table__dump(&table, fp);
	fclose(fp);
	assert_string_equal(dump, expected);
	assert_true(!strstr(text, "sym") || table.sample_type & PERF_SAMPLE_IP);
	free(dump);
}

static void assert_refused(const char *text, const struct filter_env *e, int error, const char *message)
{
	static struct filter_table table;
	struct errmsg err = { "" };

	assert_int_equal(compile(text, e, &table, &err), error);
	if (!strstr(err.text, message))
		fail_msg("%s: wants: %s", err.text, message);
}

static void test_kernel(void **state)
{
	assert_table("sym == vfs_write", " 0: ip & 0xffffffffffffff00 == 0xffffffff81000100 ? accept : reject\n");
	assert_table("sym != vfs_write", " 0: ip & 0xffffffffffffff00 == 0xffffffff81000100 ? reject : accept\n");
	assert_table("sym in {vfs_write,vfs_read}", " 0: ip & 0xfffffffffffffe00 == 0xffffffff81000000 ? accept : reject\n");
	assert_table("sym ~ vfs_*", " 0: ip & 0xfffffffffffffe00 == 0xffffffff81000000 ? accept : reject\n");
	assert_table("sym == poll", " 0: ip & 0xffffffffffffff00 == 0xffffffff81000300 ? accept : 1\n"
				    " 1: ip & 0xffffffffffffff00 == 0xffffffff81000800 ? accept : reject\n");
}

static void test_files(void **state)
{
	static const char malloc_table[] = " 0: file-inode == 0x11 ? 1 : reject\n"
					   " 1: file-dev == 0x800001 ? 2 : reject\n"
					   " 2: file-offset & 0xffffffffffffff00 == 0x1000 ? accept : reject\n";

	assert_table("sym == libc.so.6:malloc", malloc_table);
	assert_table("sym == 'libc.so.6:malloc'", malloc_table);
	assert_table("sym ~ libc.so.6:m*", malloc_table);
	assert_table("sym == libc.so.6:ns::run", " 0: file-inode == 0x11 ? 1 : reject\n"
						 " 1: file-dev == 0x800001 ? 2 : reject\n"
						 " 2: file-offset & 0xffffffffffffff00 == 0x1800 ? accept : reject\n");
	assert_table("dso == libc.so.6", " 0: file-name(#0) == 0x1 ? accept : reject\n");
	assert_table("dso ~ lib*", " 0: file-matches(#0) == 0x1 ? accept : reject\n");
	assert_table("dso !~ lib*", " 0: file-matches(#0) == 0x1 ? reject : accept\n");
	assert_table("dso == /lib/libc.so.6", " 0: file-inode == 0x11 ? 1 : reject\n"
					      " 1: file-dev == 0x800001 ? accept : reject\n");
	/* where the device says nothing, the name does */
	assert_table("dso != /overlay/app", " 0: file-inode == 0x63 ? 1 : accept\n"
					    " 1: file-name(#0) == 0x1 ? reject : accept\n");
	assert_table("dso in {a,b,a}", " 0: file-name(#0) == 0x1 ? accept : 1\n"
				       " 1: file-name(#1) == 0x1 ? accept : 2\n"
				       " 2: file-name(#0) == 0x1 ? accept : reject\n");
}

static void test_sets(void **state)
{
	static struct filter_table table;

	assert_table("sym ~ many.so:a[0-3]", " 0: file-inode == 0x11 ? 1 : reject\n"
					     " 1: file-dev == 0x800001 ? 2 : reject\n"
					     " 2: file-offset-in(#0) == 0x1 ? accept : reject\n");
	assert_int_equal(compile("sym ~ many.so:a[0-3] || sym ~ many.so:a1?", &env, &table, NULL), 0);
	assert_int_equal(table.nr_sets, 2);
	assert_int_equal(table.nr_ranges, 14);
	assert_int_equal(table.words.set[0].nr + table.words.set[1].nr, 14);
	for (unsigned int i = 1; i < table.words.set[0].nr; i++)
		assert_true(table.words.range[i].first > table.words.range[i - 1].last);
	assert_refused("sym ~ many.so:*", &env, -E2BIG, "needs 1100 different functions that do not follow each other, and 1024");
}

static void test_limits(void **state)
{
	char text[1024] = "dso in {a0";
	unsigned int i;

	for (i = 1; i <= FILTER_MAX_NAMES; i++)
		sprintf(text + strlen(text), ",a%u", i);
	strcat(text, "}");
	assert_refused(text, &env, -E2BIG, "needs 9 different names of files, and 8 is the limit");
	strcpy(text, "every 2");
	for (i = 1; i <= FILTER_MAX_EVERYS; i++)
		strcat(text, ", every 2");
	assert_refused(text, &env, -E2BIG, "needs 9 different tests by every, and 8 is the limit");
	strcpy(text, "tid == 1");
	for (i = 0; i <= FILTER_MAX_SETS; i++)
		sprintf(text + strlen(text), " || sym ~ many.so:a[1-9]%u", i);
	assert_refused(text, &env, -E2BIG, "needs 9 different large sets of functions, and 8 is the limit");
}

/* What asks for a file is made last, unless something that must not be moved is beside it. */
static void test_order(void **state)
{
	assert_table("dso == a && tid == 5", " 0: tid == 0x5 ? 1 : reject\n"
					     " 1: file-name(#0) == 0x1 ? accept : reject\n");
	assert_table("dso == a || tid == 5", " 0: tid == 0x5 ? accept : 1\n"
					     " 1: file-name(#0) == 0x1 ? accept : reject\n");
	assert_table("!(pid == 1 && dso == a) && tid == 5", " 0: tid == 0x5 ? 1 : reject\n"
							    " 1: pid == 0x1 ? 2 : accept\n"
							    " 2: file-name(#0) == 0x1 ? reject : accept\n");
	assert_table("dso == a && every 3", " 0: file-name(#0) == 0x1 ? 1 : reject\n"
					    " 1: every(#0) == 0x1 ? accept : reject\n");
	assert_table("dso == a && rand < 50% && tid == 5", " 0: file-name(#0) == 0x1 ? 1 : reject\n"
							   " 1: rand < 0x80000000 ? 2 : reject\n"
							   " 2: tid == 0x5 ? accept : reject\n");
	assert_table("sym == vfs_read && tid == 5", " 0: ip & 0xffffffffffffff00 == 0xffffffff81000000 ? 1 : reject\n"
						    " 1: tid == 0x5 ? accept : reject\n");
}

static void test_clauses(void **state)
{
	static const char text[] = "dso == a && (tid in {5,9} || !comm ~ 'x*y'), idle";
	static const char *const clauses[] = { "dso == a", "tid in {5,9}", "comm ~ 'x*y'", "idle" };
	static struct filter_table table;
	struct filter *f;
	unsigned int len;

	assert_int_equal(filter__parse(text, &f, NULL), 0);
	assert_int_equal(filter__check(f, &env, NULL), 0);
	assert_int_equal(filter__lower(f, &table, NULL), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(clauses); i++) {
		const char *clause = filter__clause(f, i, &len);

		assert_int_equal(len, strlen(clauses[i]));
		assert_memory_equal(clause, clauses[i], len);
	}
	filter__clause(f, ARRAY_SIZE(clauses), &len);
	assert_int_equal(len, 0);
	for (unsigned int i = 0; i < table.nr; i++) {
		static const u8 of_term[FILTER_TERM_MAX] = {
			[FILTER_TERM_FILE_NAME] = 0, [FILTER_TERM_TID] = 1, [FILTER_TERM_COMM_GLOB] = 2, [FILTER_TERM_IDLE] = 3,
		};

		assert_int_equal(table.clause[i], of_term[table.entry[i].term]);
	}
	filter__delete(f);
}

static void test_mistakes(void **state)
{
	char text[128] = "dso == ";

	assert_refused("sym == vfs_raed", &env, -EINVAL, "'vfs_raed' is no function of the kernel; did you mean vfs_read?");
	assert_refused("sym == xyz", &env, -EINVAL, "those of another file are written FILE:NAME, as in libc.so.6:malloc");
	assert_refused("sym == libc.so.6:maloc", &env, -EINVAL, "is no function of libc.so.6; did you mean malloc?");
	assert_refused("sym ~ nothing*", &env, -EINVAL, "is no function of the kernel");
	assert_refused("sym in {vfs_read,nothing}", &env, -EINVAL, "'nothing' is no function");
	assert_refused("sym == broken.so:x", &env, -EINVAL, "broken.so: not an ELF file");
	assert_refused("sym == vfs_*", &env, -EINVAL, "is a pattern, which goes after '~'");
	assert_refused("sym in a..b", &env, -EINVAL, "there are no ranges of symbols");
	assert_refused("sym < a", &env, -EINVAL, "'<' cannot be used with sym; it takes: == != in ~ !~");
	assert_refused("sym ~ [", &env, -EINVAL, "'[' without its ']'");
	assert_refused("dso == /no/file", &env, -EINVAL, "/no/file: there is none");
	assert_refused("dso == dir/file", &env, -EINVAL, "neither the name of a file");
	assert_refused("dso == ''", &env, -EINVAL, "neither the name of a file");
	assert_refused("dso == [none]", &env, -EINVAL, "is no module of the kernel that is loaded");
	assert_refused("dso in a..b", &env, -EINVAL, "there are no ranges of files");
	assert_refused("dso ~ *0123456789abcdef0123456789abcdef*", &env, -EINVAL, "at most 31 characters");
	memset(text + strlen(text), 'x', FILTER_FILE_LEN);
	assert_refused(text, &env, -EINVAL, "is longer than 63 bytes; give the file's path");
	assert_refused("sym == vfs_read", NULL, -EINVAL, "symbols cannot be looked up here");
	assert_refused("dso == /lib/libc.so.6", NULL, -EINVAL, "files cannot be looked up here");
	assert_refused("dso == [kernel]", NULL, -EINVAL, "symbols cannot be looked up here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel), cmocka_unit_test(test_files),  cmocka_unit_test(test_sets),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_order),  cmocka_unit_test(test_clauses),
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests_name("filter/place", tests, NULL, NULL);
}
