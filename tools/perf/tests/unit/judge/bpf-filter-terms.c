// SPDX-License-Identifier: GPL-2.0
/* What filter programs know of the task and the event of a sample */
#include "tests/unit/judge/fault-run.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Every condition on a term whose value is known to be value in each sample. */
static void check_term(u8 term, u64 value)
{
	struct filter_entry low_byte = test_of(term, FILTER_EQ, value >> 1 & 0xff);

	check_entry(test_of(term, FILTER_EQ, value), true);
	check_entry(test_of(term, FILTER_LT | FILTER_GT, value), false);
	check_entry(test_of(term, FILTER_EQ, value + 1), false);
	check_entry(test_of(term, FILTER_LT, value + 1), true);
	check_entry(test_of(term, FILTER_GT, value), false);
	check_entry(test_of(term, FILTER_GT | FILTER_EQ, value), true);
	check_entry(test_of(term, FILTER_LT | FILTER_EQ, value), true);
	low_byte.shift = 1;
	low_byte.mask = 0xff;
	check_entry(low_byte, true);
	low_byte.value ^= 0x10;
	check_entry(low_byte, false);
}

static void ids_of_thread_and_process(void **state)
{
	need_ids();
	check_term(FILTER_TERM_TID, gettid());
	check_term(FILTER_TERM_PID, getpid());
}

static void ids_of_user_and_group(void **state)
{
	pid_t child = fork();
	int status;

	if (!child) { /* ids that differ from each other and from 0, with the right to load programs kept */
		assert_int_equal(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), 0);
		assert_int_equal(syscall(SYS_setresgid, 1234, 1234, 0), 0);
		assert_int_equal(syscall(SYS_setresuid, 4321, 0, 0), 0);
		check_term(FILTER_TERM_UID, 4321);
		check_term(FILTER_TERM_GID, 1234);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void cpu(void **state)
{
	cpu_set_t before, one;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &before))
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		check_term(FILTER_TERM_CPU, i);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static void period_and_cgroup(void **state)
{
	struct filter_table all = table_of(test_of(FILTER_TERM_TID, FILTER_GT, 0));
	struct run run;

	open_run(&run);
	run_filter(&run, &all, touch);
	assert_true(run.kept > 0);
	assert_true(run.sample.cgroup != 0);
	check_term(FILTER_TERM_CGROUP, run.sample.cgroup);
	check_term(FILTER_TERM_PERIOD, run.sample.period);
	close_run(&run);
}

static u64 monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Whatever the program, it has this from the task. */
static void parent(void **state)
{
	pid_t child;
	int status;

	need_first_pid_namespace();
	check_term(FILTER_TERM_PPID, getppid());
	child = fork();
	if (!child) {
		check_term(FILTER_TERM_PPID, getppid());
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void scheduling(void **state)
{
	pid_t child;
	int status;

	check_entry(test_of(FILTER_TERM_IDLE, FILTER_EQ, 0), true); /* who faults is not idle */
	child = fork();
	if (!child) {
		assert_int_equal(setpriority(PRIO_PROCESS, 0, 7), 0);
		check_term(FILTER_TERM_NICE, 27);
		check_term(FILTER_TERM_PRIO, 128); /* 120 is that of nice 0 */
		assert_int_equal(setpriority(PRIO_PROCESS, 0, -20), 0);
		check_term(FILTER_TERM_NICE, 0);
		assert_int_equal(sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 10 }), 0);
		check_term(FILTER_TERM_PRIO, 90); /* 99 - 10, and 1 */
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void subtree_of_cgroups(void **state)
{
	struct filter_table all = table_of(test_of(FILTER_TERM_CGROUP, FILTER_GT, 0));
	struct filter_entry at = test_of(FILTER_TERM_CGROUP_AT, FILTER_EQ, 1); /* the root's id is always 1 */
	struct run run;

	open_run(&run);
	run_filter(&run, &all, touch);
	assert_int_equal(run.kept, run.events);
	check_entry(at, true);
	at.value = 2;
	check_entry(at, false);
	at.shift = 255; /* nobody is that deep */
	check_entry(at, false);
	at.value = 0;
	check_entry(at, true);
	close_run(&run);
}

/* Page faults of one CPU: each third is kept, to the fault. */
static void every_third(void **state)
{
	struct filter_table table = table_of(test_of(FILTER_TERM_EVERY, FILTER_EQ, 1));
	cpu_set_t before;
	struct run run;

	stay_on_cpu(&before);
	table.nr_everys = 2;
	table.words.every[0] = 3;
	table.words.every[1] = 1;
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, run.events / 3);
	close_run(&run);
	table.entry[0].shift = 1;
	check_verdict(&table, true);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* 16 times: the chance that this fails by chance is one in 2^80. */
static void random_part(void **state)
{
	struct filter_table half = table_of(test_of(FILTER_TERM_RAND, FILTER_LT, 1ULL << 31));
	u64 kept = 0, events = 0;

	for (int i = 0; i < 16; i++) {
		struct run run;

		open_run(&run);
		run_filter(&run, &half, touch);
		kept += run.kept;
		events += run.events;
		close_run(&run);
	}
	assert_in_range(kept, events / 4, events * 3 / 4);
	check_entry(test_of(FILTER_TERM_RAND, FILTER_LT, 1ULL << 32), true);
	check_entry(test_of(FILTER_TERM_RAND, FILTER_GT | FILTER_EQ, 1ULL << 32), false);
}

static void time_range(void **state)
{
	struct filter_table table = range_of(FILTER_TERM_TIME, monotonic(), monotonic() + 3600 * 1000000000ULL);

	need_prepared_samples();
	check_verdict(&table, true);
	table = range_of(FILTER_TERM_TIME, 1, monotonic());
	check_verdict(&table, false);
}

static void id_of_the_event(void **state)
{
	struct filter_table table = table_of(test_of(FILTER_TERM_ID, FILTER_GT, 0));
	struct run run;
	u64 id;

	need_prepared_samples();
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, run.events);
	assert_int_equal(run.sample.id, run.id);
	id = run.id;
	close_run(&run);

	/* ids count upwards: the next event's is greater */
	check_entry(test_of(FILTER_TERM_ID, FILTER_GT, id), true);
	check_entry(test_of(FILTER_TERM_ID, FILTER_EQ, id), false);
}

static void comm_equality_and_prefix(void **state)
{
	static const char *const names[] = { "fifteen-letters", "eightchr", "seven77", "nine-char", "x", "" };
	struct filter_entry prefix;
	__u64 words[2];

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		set_comm("previous name 15", words); /* what a shorter name might leave behind */
		set_comm(names[i], words);
		check_entry(test_of(FILTER_TERM_COMM_LO, FILTER_EQ, words[0]), true);
		check_entry(test_of(FILTER_TERM_COMM_HI, FILTER_EQ, words[1]), true);
		check_entry(test_of(FILTER_TERM_COMM_LO, FILTER_EQ, words[0] ^ 0x20), false);
		check_entry(test_of(FILTER_TERM_COMM_HI, FILTER_EQ, words[1] ^ 0x20), false);
	}
	set_comm("prefix-rest", words);
	prefix = test_of(FILTER_TERM_COMM_LO, FILTER_EQ, words[0] & 0xffffff);
	prefix.mask = 0xffffff;
	check_entry(prefix, true);
	prefix.value ^= 0x20;
	check_entry(prefix, false);
}

static void check_glob(unsigned int index, const char *pattern, bool accepts)
{
	struct filter_table table = table_of(test_of(FILTER_TERM_COMM_GLOB, FILTER_EQ, 1));

	table.nr_globs = index + 1;
	table.entry[0].shift = index;
	table.entry[0].mask = 1;
	build_glob(&table.words.glob[index], pattern);
	check_verdict(&table, accepts);
}

static void comm_globs(void **state)
{
	__u64 words[2];

	set_comm("worker/1:nginx\xe4", words);
	check_glob(0, "worker/1:nginx\xe4", true);
	check_glob(0, "*", true);
	check_glob(1, "w*n?in*", true);
	check_glob(FILTER_MAX_GLOBS - 1, "*/?:*\xe4", true);
	check_glob(0, "worker", false);
	check_glob(2, "*nginx", false);
	check_glob(0, "", false);
	set_comm("", words);
	check_glob(0, "", true);
	check_glob(0, "?*", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_of_thread_and_process),
		cmocka_unit_test(ids_of_user_and_group),
		cmocka_unit_test(cpu),
		cmocka_unit_test(period_and_cgroup),
		cmocka_unit_test(time_range),
		cmocka_unit_test(parent),
		cmocka_unit_test(scheduling),
		cmocka_unit_test(subtree_of_cgroups),
		cmocka_unit_test(every_third),
		cmocka_unit_test(random_part),
		cmocka_unit_test(id_of_the_event),
		cmocka_unit_test(comm_equality_and_prefix),
		cmocka_unit_test(comm_globs),
		old_unit_test(ids_of_thread_and_process),
		old_unit_test(ids_of_user_and_group),
		old_unit_test(cpu),
		old_unit_test(period_and_cgroup),
		old_unit_test(parent),
		old_unit_test(scheduling),
		old_unit_test(subtree_of_cgroups),
		old_unit_test(every_third),
		old_unit_test(random_part),
		old_unit_test(comm_equality_and_prefix),
		old_unit_test(comm_globs),
	};

	return cmocka_run_group_tests_name("bpf-filter-terms", tests, NULL, NULL);
}
