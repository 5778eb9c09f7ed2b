// SPDX-License-Identifier: GPL-2.0
#include "util/run/target.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static pthread_barrier_t barrier;

static void *tell_tid(void *arg)
{
	*(pid_t *)arg = syscall(SYS_gettid);
	pthread_barrier_wait(&barrier); /* the test knows the tid */
	pthread_barrier_wait(&barrier); /* the test is done with it */
	return NULL;
}

static bool holds(const pid_t *list, int nr, pid_t id)
{
	int i, times = 0;

	for (i = 0; i < nr; i++)
		times += list[i] == id;
	assert_true(times < 2);
	return times;
}

static void a_process_means_all_its_threads(void **state)
{
	struct run_target t = { 0 };
	pid_t self = getpid(), other;
	pthread_t thread;
	char list[64];
	int i;

	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, tell_tid, &other), 0);
	pthread_barrier_wait(&barrier);

	/* The thread's id as a process id, and ids twice: as people copy them from a list. */
	snprintf(list, sizeof(list), "%d,%d,%d", self, other, self);
	assert_int_equal(run_target__resolve(&t, list, NULL, NULL, NULL), 0);
	assert_true(holds(t.tids, t.nr_tids, self) && holds(t.tids, t.nr_tids, other));
	for (i = 1; i < t.nr_tids; i++)
		assert_true(t.tids[i - 1] < t.tids[i]);
	assert_int_equal(t.nr_pids, 1);
	assert_int_equal(t.pids[0], self);
	run_target__exit(&t);

	snprintf(list, sizeof(list), "%d", other);
	assert_int_equal(run_target__resolve(&t, NULL, list, NULL, NULL), 0);
	assert_int_equal(t.nr_tids, 1);
	assert_int_equal(t.tids[0], other);
	assert_int_equal(t.pids[0], self);
	run_target__exit(&t);

	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static void what_does_not_exist_is_named(void **state)
{
	struct run_target t = { 0 };
	struct errmsg err = { "" };
	char list[64], id[16];
	pid_t gone = fork();

	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	snprintf(id, sizeof(id), "%d", gone);
	snprintf(list, sizeof(list), "%d,4194304", gone);
	assert_int_equal(run_target__resolve(&t, list, NULL, NULL, &err), -ESRCH);
	assert_non_null(strstr(err.text, "4194304"));
	run_target__exit(&t);
	/* Those that exist are followed. */
	snprintf(list, sizeof(list), "%d,%d,4194304", gone, getpid());
	assert_int_equal(run_target__resolve(&t, list, NULL, NULL, &err), 0);
	assert_int_equal(t.nr_pids, 1);
	assert_int_equal(t.pids[0], getpid());
	run_target__exit(&t);
	assert_int_equal(run_target__resolve(&t, NULL, id, NULL, &err), -ESRCH);
	run_target__exit(&t);
}

static void wrong_lists_are_refused(void **state)
{
	static const char *const lists[] = { "", ",", "1,", ",1", "1,,1", "x", "1x", "-1", "+1", " 1", "0", "99999999999", "1 1" };
	struct run_target t = { 0 };
	struct errmsg err;
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(run_target__resolve(&t, lists[i], NULL, NULL, &err), -EINVAL);
		run_target__exit(&t);
		assert_int_equal(run_target__resolve(&t, NULL, lists[i], NULL, &err), -EINVAL);
		run_target__exit(&t);
	}
	assert_int_equal(run_target__resolve(&t, NULL, NULL, "0-", &err), -EINVAL);
	run_target__exit(&t);
	assert_int_equal(run_target__resolve(&t, NULL, NULL, "0", &err), 0);
	assert_int_equal(t.cpus->nr, 1);
	run_target__exit(&t);
}

static void new_threads_are_found(void **state)
{
	struct run_target t = { 0 };
	struct errmsg err = { "" };
	pthread_t thread;
	char list[32];
	pid_t other;

	pthread_barrier_init(&barrier, NULL, 2);
	snprintf(list, sizeof(list), "%d", getpid());
	assert_int_equal(run_target__resolve(&t, list, NULL, NULL, NULL), 0);
	assert_int_equal(run_target__update(&t, &err), 0);
	assert_int_equal(pthread_create(&thread, NULL, tell_tid, &other), 0);
	pthread_barrier_wait(&barrier);
	assert_false(holds(t.tids, t.nr_tids, other));
	assert_int_equal(run_target__update(&t, &err), 1);
	assert_true(holds(t.tids, t.nr_tids, getpid()) && holds(t.tids, t.nr_tids, other));
	assert_int_equal(run_target__update(&t, &err), 0);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	/* One that has ended is no reason to open everything again. */
	assert_int_equal(run_target__update(&t, &err), 0);
	run_target__exit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_means_all_its_threads),
		cmocka_unit_test(what_does_not_exist_is_named),
		cmocka_unit_test(wrong_lists_are_refused),
		cmocka_unit_test(new_threads_are_found),
	};

	return cmocka_run_group_tests_name("run/target", tests, NULL, NULL);
}
