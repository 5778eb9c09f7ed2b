// SPDX-License-Identifier: GPL-2.0
#include "util/run/ends.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static pid_t start(void)
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		pause();
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void check(bool threads)
{
	pid_t pids[] = { start(), start() };
	const struct run_target t = { .tids = pids, .nr_tids = 2, .pids = pids, .nr_pids = 2 };
	struct run_ends ends;
	struct pollfd pfd;

	assert_int_equal(run_ends__init(&ends, &t, threads, NULL), 0);
	pfd = (struct pollfd){ .fd = ends.epfd, .events = POLLIN };
	assert_false(run_ends__all(&ends));
	end(pids[0]);
	assert_int_equal(poll(&pfd, 1, 200000), 1);
	assert_false(run_ends__all(&ends));
	end(pids[1]);
	assert_int_equal(poll(&pfd, 1, 200000), 1);
	assert_true(run_ends__all(&ends));
	run_ends__exit(&ends);
	/* Both have ended before. */
	assert_int_equal(run_ends__init(&ends, &t, threads, NULL), 0);
	assert_true(run_ends__all(&ends));
	run_ends__exit(&ends);
}

static void processes(void **state)
{
	check(false);
}

static void threads(void **state)
{
	check(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(processes), cmocka_unit_test(threads) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
