// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/lib/pages.h"

static void assert_all(const unsigned char *table, size_t size, unsigned char value)
{
	for (size_t i = 0; i < size; i++)
		assert_int_equal(table[i], value);
}

static void tables_of_any_size_are_zeroed_and_keep_what_is_written(void **state)
{
	static const size_t sizes[] = { 0, 1, 1000, 100001, 128 << 10, 300001, (2 << 20) - 1, 2 << 20, (5 << 20) + 7 };
	unsigned char *table = NULL;
	size_t old = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		table = pages__grow(table, old, sizes[i]);
		assert_non_null(table);
		assert_all(table, old, 0x5a);
		assert_all(table + old, sizes[i] - old, 0);
		memset(table, 0x5a, sizes[i]);
		old = sizes[i];
	}
	pages__delete(table, old);
	pages__delete(NULL, 0);
	pages__delete(NULL, 8 << 20);
}

/* How many pages of the table, which begins with a page, are in memory? */
static size_t nr_in_memory(void *table, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE), nr = 0;
	unsigned char in[4096];

	assert_true(size / page <= sizeof(in));
	assert_int_equal(mincore(table, size, in), 0);
	for (size_t i = 0; i < size / page; i++)
		nr += in[i] & 1;
	return nr;
}

static void populated_tables_keep_what_is_written(void **state)
{
	const size_t size = 1 << 20, page = sysconf(_SC_PAGESIZE), nr = size / page;
	unsigned char *table = pages__new(size), small[1] = { 0x5a };
	size_t before, after;

	assert_non_null(table);
	memset(table, 0x5a, page + 1);
	before = nr_in_memory(table, size);
	pages__populate(table, size, page + 1);
	after = nr_in_memory(table, size);
	assert_true(after == nr || after == before); /* kernels before 5.14 */
	assert_all(table, page + 1, 0x5a);
	assert_all(table + page + 1, size - page - 1, 0);
	pages__populate(table, size, size);
	pages__populate(table, size, size + 1);
	pages__populate(small, sizeof(small), 0);
	pages__populate(NULL, 0, 0);
	assert_int_equal(small[0], 0x5a);
	pages__delete(table, size);
}

static void sparse_tables_are_zeroed(void **state)
{
	static const size_t sizes[] = { 1, 1000, (64 << 10) - 1, 64 << 10, (5 << 20) + 7 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned char *table = pages__new_sparse(sizes[i]);

		assert_non_null(table);
		assert_all(table, sizes[i], 0);
		memset(table, 0x5a, sizes[i]);
		pages__delete_sparse(table, sizes[i]);
		pages__delete_sparse(NULL, sizes[i]);
	}
	assert_null(pages__new_sparse(SIZE_MAX / 2));
}

/* Does the mapping of table have this flag of smaps (proc(5)): " nh": no huge pages, also where they are the default; " hg": huge pages? */
static bool has_flag(const void *table, const char *flag)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	unsigned long start, end;
	bool found = false, has = false;
	char line[512];

	assert_non_null(smaps);
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			found = (unsigned long)table >= start && (unsigned long)table < end;
		else if (found && !strncmp(line, "VmFlags:", 8))
			has = strstr(line, flag) != NULL;
	}
	fclose(smaps);
	return has;
}

static void sparse_tables_are_on_normal_pages(void **state)
{
	void *table;

	if (access("/sys/kernel/mm/transparent_hugepage", F_OK))
		skip();
	table = pages__new_sparse(5 << 20);
	assert_non_null(table);
	assert_true(has_flag(table, " nh"));
	pages__delete_sparse(table, 5 << 20);
}

static void only_large_tables_are_on_huge_pages(void **state)
{
	void *table;

	if (access("/sys/kernel/mm/transparent_hugepage", F_OK))
		skip();
	table = pages__new(4 << 20);
	assert_non_null(table);
	assert_false(has_flag(table, " hg"));
	table = pages__grow(table, 4 << 20, 16 << 20);
	assert_non_null(table);
	assert_true(has_flag(table, " hg"));
	pages__delete(table, 16 << 20);
	table = pages__new(16 << 20);
	assert_non_null(table);
	assert_true(has_flag(table, " hg"));
	pages__delete(table, 16 << 20);
}

static void more_than_there_is_fails(void **state)
{
	assert_null(pages__new(SIZE_MAX));
	assert_null(pages__new(SIZE_MAX / 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_any_size_are_zeroed_and_keep_what_is_written),
		cmocka_unit_test(populated_tables_keep_what_is_written),
		cmocka_unit_test(sparse_tables_are_zeroed),
		cmocka_unit_test(sparse_tables_are_on_normal_pages),
		cmocka_unit_test(only_large_tables_are_on_huge_pages),
		cmocka_unit_test(more_than_there_is_fails),
	};

	return cmocka_run_group_tests_name("lib/pages", tests, NULL, NULL);
}
