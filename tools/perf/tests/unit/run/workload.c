// SPDX-License-Identifier: GPL-2.0
#include "util/run/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static struct signals signals;

static int take_signals(void **state)
{
	return signals__take(&signals, 0, NULL);
}

static int release_signals(void **state)
{
	signals__release(&signals);
	return 0;
}

static void wait_for_end(struct workload *w)
{
	struct pollfd pfd = { .fd = signals.fd, .events = POLLIN };

	while (!workload__reap(w)) {
		assert_int_equal(poll(&pfd, 1, 200000), 1);
		while (signals__next(&signals))
			;
	}
}

static int run(const char *script)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	struct workload w = { 0 };
	struct errmsg err = { "" };

	assert_int_equal(workload__fork(&w, argv, &signals, false, &err), 0);
	assert_false(workload__reap(&w));
	assert_int_equal(workload__exec(&w, &err), 0);
	wait_for_end(&w);
	return workload__exit_code(&w);
}

static void exit_codes_are_told(void **state)
{
	assert_int_equal(run("exit 0"), 0);
	assert_int_equal(run("exit 42"), 42);
	assert_int_equal(run("kill -KILL $$"), 128 + SIGKILL);
}

static void the_command_has_the_callers_signals_and_files(void **state)
{
	char script[128];
	int nr_files = 0;
	FILE *fp;

	assert_int_equal(run("test \"$(grep ^SigBlk: /proc/self/status | cut -f2)\" = 0000000000000000"), 0);
	fp = popen("ls /proc/self/fd | wc -l", "r");
	assert_non_null(fp);
	assert_int_equal(fscanf(fp, "%d", &nr_files), 1);
	pclose(fp);
	while (signals__next(&signals)) /* SIGCHLD of popen */
		;
	snprintf(script, sizeof(script), "test $(ls /proc/self/fd | wc -l) = %d", nr_files);
	assert_int_equal(run(script), 0);
	assert_int_equal(run("ls -l /proc/self/fd | grep signalfd"), 1);
}

static void an_ignored_sigint_stays_ignored_for_the_command(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	signals__release(&signals);
	sigaction(SIGINT, &ignore, NULL);
	assert_int_equal(signals__take(&signals, 0, NULL), 0);
	assert_int_equal(run("kill -INT $$; exit 7"), 7);
	raise(SIGINT); /* but it is not for us */
	assert_int_equal(signals__next(&signals), SIGINT);
	signals__release(&signals);
	sigaction(SIGINT, NULL, &ignore);
	assert_ptr_equal(ignore.sa_handler, SIG_IGN);
	signal(SIGINT, SIG_DFL);
	assert_int_equal(signals__take(&signals, 0, NULL), 0);
	assert_int_equal(run("kill -INT $$; exit 7"), 128 + SIGINT);
}

static void the_kernel_will_name_it_by_its_file(void **state)
{
	char *argv[] = { (char *)"/no/such/directory/a-command-named-at-length", NULL };
	struct workload w = { 0 };
	struct errmsg err;

	assert_int_equal(workload__fork(&w, argv, &signals, false, &err), 0);
	assert_string_equal(w.comm, "a-command-named-at-length");
	workload__end(&w);
}

static void a_failed_exec_is_explained(void **state)
{
	char *argv[] = { (char *)"no-such-command-of-ours", NULL };
	struct workload w = { 0 };
	struct errmsg err = { "" };

	assert_int_equal(workload__fork(&w, argv, &signals, false, &err), 0);
	assert_int_equal(workload__exec(&w, &err), -ENOENT);
	assert_string_equal(err.text, "Failed to run 'no-such-command-of-ours': No such file or directory");
	workload__end(&w);
	assert_true(w.ended);
}

static void ends_before_and_after_exec(void **state)
{
	char *argv[] = { (char *)"sleep", (char *)"1000", NULL };
	struct workload w = { 0 };
	struct errmsg err;

	assert_int_equal(workload__fork(&w, argv, &signals, false, &err), 0);
	workload__end(&w); /* never ran */
	assert_int_equal(workload__exit_code(&w), 255);
	w = (struct workload){ 0 };
	assert_int_equal(workload__fork(&w, argv, &signals, false, &err), 0);
	assert_int_equal(workload__exec(&w, &err), 0);
	workload__end(&w);
	assert_int_equal(workload__exit_code(&w), 128 + SIGTERM);
	workload__end(&(struct workload){ 0 }); /* none */
}

static pid_t stopped;

static void kill_stopped(int signo)
{
	kill(stopped, SIGKILL);
}

/* SIGTERM alone would wait for a SIGCONT, and perf for the command. */
static void ends_one_that_is_stopped(void **state)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"kill -STOP $$", NULL };
	struct workload w = { 0 };
	struct errmsg err;
	siginfo_t info;

	assert_int_equal(workload__fork(&w, argv, &signals, false, &err), 0);
	assert_int_equal(workload__exec(&w, &err), 0);
	assert_int_equal(waitid(P_PID, w.pid, &info, WSTOPPED), 0);
	stopped = w.pid;
	signal(SIGALRM, kill_stopped);
	alarm(100);
	workload__end(&w);
	alarm(0);
	assert_int_equal(workload__exit_code(&w), 128 + SIGTERM);
}

static void a_child_that_was_killed_while_it_waits(void **state)
{
	char *argv[] = { (char *)"true", NULL };
	struct workload w = { 0 };
	struct errmsg err;

	assert_int_equal(workload__fork(&w, argv, &signals, false, &err), 0);
	kill(w.pid, SIGKILL);
	assert_int_equal(workload__exec(&w, &err), 0);
	wait_for_end(&w);
	assert_int_equal(workload__exit_code(&w), 128 + SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_codes_are_told),
		cmocka_unit_test(the_command_has_the_callers_signals_and_files),
		cmocka_unit_test(an_ignored_sigint_stays_ignored_for_the_command),
		cmocka_unit_test(the_kernel_will_name_it_by_its_file),
		cmocka_unit_test(a_failed_exec_is_explained),
		cmocka_unit_test(ends_before_and_after_exec),
		cmocka_unit_test(ends_one_that_is_stopped),
		cmocka_unit_test(a_child_that_was_killed_while_it_waits),
	};

	return cmocka_run_group_tests_name("run/workload", tests, take_signals, release_signals);
}
