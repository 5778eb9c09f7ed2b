// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/lib/clock.h"

#define S 1000000000LL

static void offsets_have_names_or_numbers(void **state)
{
	const char *names = "monotonic      100000         5\nboottime          -3 999999999\n", *numbers = "1 -7 0\n7 8 1\n";

	assert_int_equal(clock__offset_in(names, CLOCK_MONOTONIC), 100000 * S + 5);
	assert_int_equal(clock__offset_in(names, CLOCK_MONOTONIC_RAW), 100000 * S + 5);
	assert_int_equal(clock__offset_in(names, CLOCK_MONOTONIC_COARSE), 100000 * S + 5);
	assert_int_equal(clock__offset_in(names, CLOCK_BOOTTIME), -2 * S - 1);
	assert_int_equal(clock__offset_in(numbers, CLOCK_MONOTONIC), -7 * S);
	assert_int_equal(clock__offset_in(numbers, CLOCK_BOOTTIME), 8 * S + 1);
}

static void other_clocks_have_none(void **state)
{
	const char *text = "monotonic 100000 5\nboottime 1 1\n-1 2 3\n0 4 5\nrealtime 6 7\n";

	assert_int_equal(clock__offset_in(text, CLOCK_REALTIME), 0);
	assert_int_equal(clock__offset_in(text, CLOCK_TAI), 0);
	assert_int_equal(clock__offset_in(text, CLOCK_THREAD_CPUTIME_ID), 0);
}

static void what_is_no_such_file_says_nothing(void **state)
{
	const char *const texts[] = { "", "\n\n", "monotonic", "monotonic x y\n", "monotonic 5\n", "monotonicmonotonicmonotonic 1 2\n" };

	assert_int_equal(clock__offset_in(NULL, CLOCK_MONOTONIC), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(clock__offset_in(texts[i], CLOCK_MONOTONIC), 0);
}

static int write_offsets(const char *text)
{
	int fd = open("/proc/self/timens_offsets", O_WRONLY), ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return ok;
}

/* In a process that has not asked for a time before. 0: inside, the clocks differ, and clock__ns() is still as outside. */
static int look_from_inside(void)
{
	const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_REALTIME };
	const s64 offsets[] = { 100000, 100000, 5000, 0 };
	u64 outside[4];
	int status;

	for (int i = 0; i < 4; i++)
		outside[i] = clock__own_ns(clocks[i]);
	if (unshare(CLONE_NEWTIME) || !write_offsets("monotonic 100000 0\nboottime 5000 0\n"))
		return 77;
	if (fork()) /* children are in the namespace */
		return wait(&status) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	for (int i = 0; i < 4; i++) {
		if (llabs((s64)(clock__own_ns(clocks[i]) - outside[i]) / S - offsets[i]) > 50 || clock__ns(clocks[i]) - outside[i] > 50 * S)
			_exit(2 + i);
	}
	_exit(0);
}

static void a_namespace_changes_own_times_only(void **state)
{
	int status;

	if (!fork())
		_exit(look_from_inside());
	assert_true(wait(&status) > 0 && WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Only children are in the namespace that unshare() makes. */
static void offsets_of_children_are_not_ours(void **state)
{
	int status;

	if (!fork()) {
		const u64 before = clock__own_ns(CLOCK_MONOTONIC);

		if (unshare(CLONE_NEWTIME) || !write_offsets("monotonic 100000 0\n"))
			_exit(77);
		_exit(clock__ns(CLOCK_MONOTONIC) - before > 50 * S);
	}
	assert_true(wait(&status) > 0 && WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_have_names_or_numbers),
		cmocka_unit_test(other_clocks_have_none),
		cmocka_unit_test(what_is_no_such_file_says_nothing),
		cmocka_unit_test(a_namespace_changes_own_times_only),
		cmocka_unit_test(offsets_of_children_are_not_ours),
	};

	return cmocka_run_group_tests_name("lib/clock", tests, NULL, NULL);
}
