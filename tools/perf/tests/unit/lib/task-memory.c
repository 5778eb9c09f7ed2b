// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/lib/task-memory.h"

#define NR_PAGES 12

static long page;
static char *pages;
static struct task_memory *memory;

static int setup(void **state)
{
	page = sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, NR_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return pages == MAP_FAILED || task_memory__new(getpid(), &memory);
}

static int teardown(void **state)
{
	task_memory__delete(memory);
	return munmap(pages, NR_PAGES * page);
}

static bool reads(size_t offset, const char *text)
{
	char buf[16] = "";

	return task_memory__read(memory, (uintptr_t)pages + offset, buf, strlen(text)) && !strcmp(buf, text);
}

static void test_pages(void **state)
{
	strcpy(pages + 8, "first");
	strcpy(pages + page - 3, "across");
	strcpy(pages + 7 * page, "seventh");
	assert_true(reads(8, "first"));
	assert_true(reads(page - 3, "across"));
	assert_true(reads(7 * page, "seventh"));
	assert_true(reads(8, "first"));
}

/* More than a window has, byte by byte and as a whole. */
static void test_whole(void **state)
{
	static char all[NR_PAGES * 65536];

	for (long i = 0; i < NR_PAGES * page; i++)
		pages[i] = i % 251;
	assert_true(task_memory__read(memory, (uintptr_t)pages + 1, all, NR_PAGES * page - 1));
	assert_memory_equal(all, pages + 1, NR_PAGES * page - 1);
}

/* Whoever fills such a page may never answer: it stays as it is. */
static void test_untouched(void **state)
{
	unsigned char present = 1;
	char byte;

	*pages = 1;
	assert_false(task_memory__read(memory, (uintptr_t)pages + page, &byte, 1));
	assert_int_equal(mincore(pages + page, page, &present), 0);
	assert_int_equal(present & 1, 0);
	assert_false(reads(page - 2, "end"));
}

static void test_nothing_there(void **state)
{
	char byte;

	*pages = 1;
	assert_int_equal(mprotect(pages, page, PROT_NONE), 0);
	assert_false(task_memory__read(memory, (uintptr_t)pages, &byte, 1));
	assert_false(task_memory__read(memory, 0, &byte, 1));
	assert_false(task_memory__read(memory, UINT64_MAX, &byte, 1));
	assert_false(task_memory__read(memory, 1ULL << 63, &byte, 1));
}

static void test_forget(void **state)
{
	strcpy(pages, "before");
	assert_true(reads(0, "before"));
	strcpy(pages, "after");
	assert_true(reads(0, "before"));
	task_memory__forget(memory);
	assert_true(reads(0, "after"));
}

/* A stack that leads through memory without an end */
static void test_limit(void **state)
{
	long nr = 0;
	char byte;

	pages[0] = pages[6 * page] = 1;
	while (nr < 1000000 && task_memory__read(memory, (uintptr_t)pages + nr % 2 * 6 * page, &byte, 1))
		nr++;
	assert_in_range(nr, 1000, 100000);
	task_memory__forget(memory);
	assert_true(task_memory__read(memory, (uintptr_t)pages, &byte, 1));
}

static void test_no_process(void **state)
{
	struct task_memory *none;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(task_memory__new(pid, &none), -ESRCH);
	task_memory__delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(test_untouched, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forget, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limit, setup, teardown),
		cmocka_unit_test(test_no_process),
	};

	return cmocka_run_group_tests_name("lib/task-memory", tests, NULL, NULL);
}
