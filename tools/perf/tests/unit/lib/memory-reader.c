// SPDX-License-Identifier: GPL-2.0
/* Memory of others, of which some is never there: nobody fills the pages of these tests. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "util/lib/clock.h"
#include "util/lib/memory-reader.h"
#include "util/lib/task-memory.h"

#define NR_PAGES 4
#define SECOND 1000000000ULL
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif

static long page;
static char *pages; /* those from the second on are nobody's */

static u64 at(int i)
{
	return (uintptr_t)pages + i * page;
}

/* Skip the test if there is no userfaultfd(2) here. */
static int guard_pages(u64 features, u64 mode)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register all = { .range = { at(1), (NR_PAGES - 1) * page }, .mode = mode };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &all))
		skip();
	if (mode & UFFDIO_REGISTER_MODE_WP) {
		struct uffdio_writeprotect protect = { .range = all.range, .mode = UFFDIO_WRITEPROTECT_MODE_WP };

		assert_int_equal(ioctl(fd, UFFDIO_WRITEPROTECT, &protect), 0);
	}
	return fd;
}

static int setup(void **state)
{
	page = sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, NR_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return -1;
	strcpy(pages, "first");
	return 0;
}

static int teardown(void **state)
{
	return munmap(pages, NR_PAGES * page);
}

static void reads_the_first(void)
{
	char buf[8] = "";

	assert_int_equal(memory_reader__read(getpid(), at(0), buf, 6), 6);
	assert_string_equal(buf, "first");
}

static void test_errors(void **state)
{
	char byte;

	reads_the_first();
	assert_int_equal(memory_reader__read(getpid(), 0, &byte, 1), -EFAULT);
	assert_int_equal(memory_reader__read(4194305, at(0), &byte, 1), -ESRCH);
	reads_the_first();
}

static void test_nobody_answers(void **state)
{
	const u64 begin = clock__ns(CLOCK_MONOTONIC);
	char byte;

	guard_pages(0, UFFDIO_REGISTER_MODE_MISSING);
	reads_the_first();
	for (int i = 0; i < 100; i++)
		assert_int_equal(memory_reader__read(getpid(), at(1), &byte, 1), -ETIMEDOUT);
	assert_true(clock__ns(CLOCK_MONOTONIC) - begin < 3 * SECOND);
	reads_the_first();
}

#define NOBODY 65534

static _Noreturn void fill_late(int fd)
{
	struct uffd_msg fault;

	while (read(fd, &fault, sizeof(fault)) == sizeof(fault)) {
		struct uffdio_zeropage zero = { .range = { fault.arg.pagefault.address & -page, page } };

		usleep(10000);
		ioctl(fd, UFFDIO_ZEROPAGE, &zero);
	}
	_exit(0);
}

/* A process of another user, whose pages come after 10 ms */
static pid_t spawn_late_pages(void)
{
	const pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = guard_pages(0, UFFDIO_REGISTER_MODE_MISSING);
	if (setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
	fill_late(fd);
}

static bool is_nobodys(pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &st) && st.st_uid == NOBODY;
}

/* What one user's memory does is not held against another's. */
static void test_users_apart(void **state)
{
	bool read = false;
	char byte;
	pid_t pid;

	if (geteuid())
		skip();
	guard_pages(0, UFFDIO_REGISTER_MODE_MISSING);
	for (int i = 0; i < 10; i++)
		assert_int_equal(memory_reader__read(getpid(), at(1), &byte, 1), -ETIMEDOUT);
	pid = spawn_late_pages();
	while (!is_nobodys(pid))
		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	for (int i = 1; i < NR_PAGES && !read; i++) /* again, as it may have waited for a CPU */
		read = memory_reader__read(pid, at(i), &byte, 1) == 1;
	assert_true(read);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_reading_ends_before_them(void **state)
{
	struct task_memory *memory;
	char buf[8];

	guard_pages(0, UFFDIO_REGISTER_MODE_MISSING);
	assert_int_equal(task_memory__new(getpid(), &memory), 0);
	assert_int_equal(task_memory__read_part(memory, at(1) - 3, buf, 6), 3);
	assert_true(task_memory__read(memory, at(0), buf, 6));
	task_memory__delete(memory);
}

/* Pages that are protected before they are there look like swapped ones. */
static void test_protected(void **state)
{
	const u64 begin = clock__ns(CLOCK_MONOTONIC);
	struct task_memory *memory;
	char buf[8];

	guard_pages(UFFD_FEATURE_WP_UNPOPULATED, UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP);
	assert_int_equal(task_memory__new(getpid(), &memory), 0);
	for (int i = 0; i < 1000; i++) {
		assert_false(task_memory__read(memory, at(1), buf, 1));
		assert_true(task_memory__read(memory, at(0), buf, 6)); /* it was not tried */
		task_memory__forget(memory);
	}
	assert_true(clock__ns(CLOCK_MONOTONIC) - begin < 10 * SECOND);
	task_memory__delete(memory);
}

/* The last child that was started; 0: there is none */
static pid_t child(void)
{
	FILE *fp = fopen("/proc/thread-self/children", "re");
	int pid = 0;

	assert_non_null(fp);
	while (fscanf(fp, "%d", &pid) == 1)
		;
	fclose(fp);
	return pid;
}

static void test_the_child(void **state)
{
	pid_t pid;

	reads_the_first();
	pid = child();
	assert_true(pid > 0 && memory_reader__is(pid));
	assert_false(memory_reader__is(getpid()));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* it is none of the workloads */
	kill(pid, SIGINT);
	reads_the_first();
	assert_int_equal(child(), pid);
	kill(pid, SIGKILL);
	reads_the_first();
	assert_int_not_equal(child(), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nobody_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_users_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reading_ends_before_them, setup, teardown),
		cmocka_unit_test_setup_teardown(test_protected, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_child, setup, teardown),
	};

	return cmocka_run_group_tests_name("lib/memory-reader", tests, NULL, NULL);
}
