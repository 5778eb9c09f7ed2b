// SPDX-License-Identifier: GPL-2.0
/* Processes that share counters, and one of them killed. */
#include "util/source/shared-counter.h"

#include <setjmp.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* No other test has this event, as its period is that of this process. */
static struct perf_event_attr own_attr(u32 which)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.sample_period = (u64)getpid() << 8 | which,
	};
}

static struct cpumap *online(void)
{
	struct errmsg err;
	struct cpumap *cpus = cpumap__online(&err);

	if (!cpus)
		fail_msg("%s", err.text);
	return cpus;
}

static u64 id_of(const struct shared_counter *c, int i)
{
	u64 id;

	assert_int_equal(ioctl(c->fd[i], PERF_EVENT_IOC_ID, &id), 0);
	return id;
}

/* A process that has the counters of attr until it is killed. *taken: it has those of another one. */
static pid_t start_holder(const struct perf_event_attr *attr, const struct cpumap *cpus, bool *taken)
{
	int to[2];
	pid_t pid;

	assert_int_equal(pipe(to), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct shared_counter c;

		if (shared_counter__open(&c, attr, cpus) || write(to[1], &c.taken, sizeof(c.taken)) != sizeof(c.taken))
			_exit(1);
		for (;;)
			pause();
	}
	close(to[1]);
	assert_int_equal(read(to[0], taken, sizeof(*taken)), sizeof(*taken));
	close(to[0]);
	return pid;
}

static void end_holder(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void counters_outlive_who_opened_them(void **state)
{
	const struct perf_event_attr attr = own_attr(1);
	struct cpumap *cpus = online();
	struct shared_counter mine, again;
	pid_t first, last;
	bool taken;

	first = start_holder(&attr, cpus, &taken);
	assert_false(taken);
	assert_int_equal(shared_counter__open(&mine, &attr, cpus), 0);
	assert_true(mine.taken);
	end_holder(first);
	last = start_holder(&attr, cpus, &taken);
	assert_true(taken);
	assert_int_equal(shared_counter__open(&again, &attr, cpus), 0);
	for (int i = 0; i < cpus->nr; i++)
		assert_int_equal(id_of(&mine, i), id_of(&again, i));
	shared_counter__close(&mine);
	shared_counter__close(&again);
	end_holder(last);

	/* Nobody has them any more. */
	assert_int_equal(shared_counter__open(&mine, &attr, cpus), 0);
	assert_false(mine.taken);
	shared_counter__close(&mine);
	free(cpus);
}

static void other_events_are_not_taken(void **state)
{
	const struct perf_event_attr attr = own_attr(2), other = own_attr(3);
	struct cpumap *cpus = online();
	struct shared_counter mine;
	bool taken;
	pid_t pid = start_holder(&attr, cpus, &taken);

	assert_int_equal(shared_counter__open(&mine, &other, cpus), 0);
	assert_false(mine.taken);
	shared_counter__close(&mine);
	end_holder(pid);
	free(cpus);
}

/* Each of some that start at the same time has the counters of the same one. */
static void those_that_start_at_once_share(void **state)
{
	enum { NR = 6 };
	const struct perf_event_attr attr = own_attr(4);
	struct cpumap *cpus = online();
	int go[2], ids[2], done[2];
	pid_t pid[NR];
	u64 id[NR];

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(ids), 0);
	assert_int_equal(pipe(done), 0);
	for (int i = 0; i < NR; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (!pid[i]) {
			struct shared_counter c;
			char byte;
			u64 its;

			close(go[1]);
			close(done[1]);
			if (read(go[0], &byte, 1) || shared_counter__open(&c, &attr, cpus))
				_exit(1);
			its = id_of(&c, 0);
			if (write(ids[1], &its, sizeof(its)) != sizeof(its))
				_exit(1);
			_exit(read(done[0], &byte, 1));
		}
	}
	close(go[1]);
	for (int i = 0; i < NR; i++)
		assert_int_equal(read(ids[0], &id[i], sizeof(id[i])), sizeof(id[i]));
	close(done[1]);
	for (int i = 0; i < NR; i++) {
		assert_int_equal(id[i], id[0]);
		assert_int_equal(waitpid(pid[i], NULL, 0), pid[i]);
	}
	free(cpus);
}

static int need_root(void **state)
{
	if (geteuid())
		skip();
	return 0;
}

static void a_new_counter_of_a_cpu_is_offered(void **state)
{
	const struct perf_event_attr attr = own_attr(9);
	struct cpumap *cpus = online();
	struct shared_counter mine, later;
	int fd;

	assert_int_equal(shared_counter__open(&mine, &attr, cpus), 0);
	assert_int_equal(shared_counter__open_cpu(&mine, &attr, 100000), -ENOENT);
	fd = shared_counter__open_cpu(&mine, &attr, cpus->cpu[0]);
	assert_true(fd >= 0);
	assert_int_equal(shared_counter__replace(&mine, &attr, cpus->cpu[0], fd), 0);
	assert_int_equal(mine.fd[0], fd);
	assert_int_equal(shared_counter__open(&later, &attr, cpus), 0);
	assert_true(later.taken);
	assert_int_equal(id_of(&later, 0), id_of(&mine, 0));
	shared_counter__close(&later);
	shared_counter__close(&mine);
	free(cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(counters_outlive_who_opened_them, need_root),
		cmocka_unit_test_setup(other_events_are_not_taken, need_root),
		cmocka_unit_test_setup(those_that_start_at_once_share, need_root),
		cmocka_unit_test_setup(a_new_counter_of_a_cpu_is_offered, need_root),
	};

	return cmocka_run_group_tests_name("shared-counter", tests, NULL, NULL);
}
