// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/inherit-check.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "util/bpf/kernel-features.h"

static struct perf_event_attr leader_attr(void)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .size = PERF_ATTR_SIZE_VER5,
					 .sample_period = 1000000, .disabled = 1, .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1 };
}

static int open_leader(struct perf_event_attr *attr, int cpu)
{
	int fd = sys_perf_event_open(attr, getpid(), cpu, -1, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static pid_t start_child(void)
{
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* The answer after the end of a child: who has ended takes no samples. */
static int ask_after_a_child(struct perf_event_attr *attr, int cpu)
{
	struct errmsg err = { "" };
	int fd = open_leader(attr, cpu), ret;
	pid_t child;

	assert_int_equal(inherit_check__ask(attr, getpid(), cpu, fd, &err), 0);
	child = start_child();
	assert_int_equal(inherit_check__ask(attr, getpid(), cpu, fd, &err), -ECHILD);
	end_child(child);
	ret = inherit_check__ask(attr, getpid(), cpu, fd, &err);
	assert_string_equal(err.text, "");
	close(fd);
	return ret;
}

static void tell_of_a_child(struct perf_event_attr attr, int cpu)
{
	struct errmsg err = { "" };
	int fd, tries = 50;

	/* Where the kernel let parent and child exchange their events, the leader has ended with the child. */
	while (ask_after_a_child(&attr, cpu) == -ECHILD)
		assert_true(--tries);
	fd = open_leader(&attr, cpu);
	assert_int_equal(inherit_check__ask(&attr, getpid(), cpu, fd, &err), 0);
	close(fd);
}

/* The kernel is asked by another way than by its version. */
static void need_comparison(void)
{
	if (inherit_check__probe() != 1)
		skip();
}

static void a_child_that_came_before_is_seen(void **state)
{
	struct perf_event_attr attr = leader_attr();

	need_comparison();
	tell_of_a_child(attr, -1);
	tell_of_a_child(attr, 0);
}

static void any_event_can_lead(void **state)
{
	struct perf_event_attr attr = leader_attr();

	need_comparison();
	attr.pinned = 1;
	tell_of_a_child(attr, 0);
	attr.pinned = 0;
	attr.exclusive = 1;
	tell_of_a_child(attr, 0);
	attr.exclusive = 0;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	tell_of_a_child(attr, 0);
}

static void a_grandchild_is_seen_whose_parent_has_ended(void **state)
{
	struct perf_event_attr attr = leader_attr();
	struct errmsg err = { "" };
	int fd, pipefd[2];
	pid_t child;
	char c;

	need_comparison();
	fd = open_leader(&attr, -1);
	assert_int_equal(pipe(pipefd), 0);
	child = fork();
	if (!child) {
		close(pipefd[1]);
		if (fork())
			_exit(0);
		_exit(read(pipefd[0], &c, 1)); /* lives until the test is done */
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(inherit_check__ask(&attr, getpid(), -1, fd, &err), -ECHILD);
	close(pipefd[0]);
	close(pipefd[1]);
	close(fd);
}

static void an_ended_thread_is_told_from_failures(void **state)
{
	struct perf_event_attr attr = leader_attr();
	struct errmsg err = { "" };
	pid_t child = start_child();
	int fd = sys_perf_event_open(&attr, child, -1, -1, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	end_child(child);
	assert_true(inherit_check__ask(&attr, child, -1, fd, &err) != 0);
	close(fd);
	fd = open_leader(&attr, -1);
	assert_int_equal(inherit_check__ask(&attr, child, -1, fd, &err), -ESRCH);
	assert_string_equal(err.text, "");
	close(fd);
	assert_int_equal(inherit_check__ask(&attr, getpid(), -1, fd, &err), -EBADF); /* no such leader */
	assert_non_null(strstr(err.text, "cannot find out"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_that_came_before_is_seen),
		cmocka_unit_test(any_event_can_lead),
		cmocka_unit_test(a_grandchild_is_seen_whose_parent_has_ended),
		cmocka_unit_test(an_ended_thread_is_told_from_failures),
	};

	return cmocka_run_group_tests_name("bpf/inherit-check", tests, NULL, NULL);
}
