// SPDX-License-Identifier: GPL-2.0
/* Whether a thread has slept from one look to the next, and what the program tells of tasks. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/lib/types.h"
#include "util/source/snapshot.h"

static void test_slept(void **state)
{
	static const struct snapshot_task before = { .tid = 1, .started = 2, .switches = 3, .state = OFFCPU_SLEEPING };
	struct snapshot_task after = before, ran = before;

	assert_true(snapshot_task__slept(&before, &after));
	after.state = OFFCPU_PREEMPTED; /* it was woken, and waits for a CPU */
	assert_true(snapshot_task__slept(&before, &after));
	after.state = OFFCPU_RUNNING;
	assert_false(snapshot_task__slept(&before, &after));
	after = before;
	after.switches++;
	assert_false(snapshot_task__slept(&before, &after));
	after = before;
	after.started++;
	assert_false(snapshot_task__slept(&before, &after));
	after = before;
	after.tid++;
	assert_false(snapshot_task__slept(&before, &after));
	after = before;
	ran.state = OFFCPU_RUNNING;
	assert_false(snapshot_task__slept(&ran, &after));
}

static int ends[2];
static pid_t reader_tid;
static pthread_barrier_t started;

static void *read_for_ever(void *arg)
{
	char byte;

	reader_tid = syscall(SYS_gettid);
	pthread_barrier_wait(&started);
	return (void *)read(ends[0], &byte, 1);
}

static void start_reader(pthread_t *thread)
{
	assert_int_equal(pipe(ends), 0);
	pthread_barrier_init(&started, NULL, 2);
	assert_int_equal(pthread_create(thread, NULL, read_for_ever, NULL), 0);
	pthread_barrier_wait(&started);
}

static int count(void *data, const struct snapshot_task *task)
{
	assert_int_equal(task->pid, getpid());
	return ++*(int *)data > 10;
}

/* Of this process: a thread that reads from a pipe, and the one that looks. */
static void test_look(void **state)
{
	const pid_t pid = getpid();
	struct sampler_target target = { .no_events = true, .nr_tids = 2 };
	const struct snapshot_opts opts = { .target = &target };
	struct snapshot_task task = { 0 };
	struct snapshot *s;
	pthread_t thread;
	struct errmsg err;
	int nr = 0;

	if (geteuid())
		skip();
	start_reader(&thread);
	target.tids = (pid_t[]){ pid, reader_tid };
	if (snapshot__new(&opts, &s, &err))
		skip(); /* no BPF here */
	assert_true(snapshot__has_bpf(s));
	assert_int_equal(snapshot__list(s, count, &nr, &err), 0);
	assert_int_equal(nr, 2);
	while (task.call != SYS_read || task.state != OFFCPU_SLEEPING)
		assert_int_equal(snapshot__look(s, reader_tid, &task), 0);
	assert_int_equal(task.tid, reader_tid);
	assert_int_equal((int)task.arg[0], ends[0]);
	assert_int_equal(task.has_regs, SNAPSHOT_ALL_REGS);
	assert_true(task.regs[SNAPSHOT_SP] && task.regs[SNAPSHOT_IP]);
	assert_true(task.nr_kernel > 0);
	assert_int_equal(snapshot__look(s, pid, &task), 0);
	assert_int_equal(task.state, OFFCPU_RUNNING);
	assert_int_equal(task.off_ns, 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	pthread_join(thread, NULL);
	while (!snapshot__look(s, reader_tid, &task)) /* it ends when pthread_join(3) returns, or soon */
		;
	assert_int_equal(snapshot__look(s, reader_tid, &task), -ESRCH);
	snapshot__delete(s);
	snapshot__delete(NULL);
}

static void test_filter(void **state)
{
	const pid_t tid = getpid();
	const struct sampler_target target = { .no_events = true, .tids = &tid, .nr_tids = 1 };
	struct filter_input filters[] = { { "filter", "color == 1" }, { "-u", "uid == 0" } };
	struct snapshot_opts opts = { .target = &target, .filters = filters, .nr_filters = 2 };
	struct snapshot *s = NULL;
	struct errmsg err;

	assert_int_equal(snapshot__new(&opts, &s, &err), -EINVAL);
	assert_non_null(strstr(err.text, "color"));
	filters[0].text = "ip == 1";
	assert_int_equal(snapshot__new(&opts, &s, &err), -EINVAL);
	assert_non_null(strstr(err.text, "a task cannot be tested for"));
	assert_null(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_slept), cmocka_unit_test(test_look), cmocka_unit_test(test_filter) };

	return cmocka_run_group_tests_name("source/snapshot", tests, NULL, NULL);
}
