// SPDX-License-Identifier: GPL-2.0
/* Off-CPU time: its options, the records that sleeps become, and, as root, sleeps of a child that are counted round by round. */
#include "util/source/offcpu-opts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/unit/bpf/pid-namespace.h"
#include "tests/unit/bpf/process-1.h"
#include "util/bpf_skel/offcpu-state.bpf.h"
#include "util/perfdata/sample.h"
#include "util/perfdata/wall-state.h"
#include "util/source/offcpu-record.h"
#include "util/source/offcpu-stacks.h"
#include "util/source/sources.h"

static void states_have_letters_and_names(void **state)
{
	struct errmsg err = { "" };
	char buf[16];
	u32 states;

	assert_int_equal(offcpu_states__parse("S", &states, &err), 0);
	assert_int_equal(states, OFFCPU_SLEEPING);
	assert_int_equal(offcpu_states__parse("preempted,D,idle,T,sleep", &states, &err), 0);
	assert_string_equal(offcpu_states__text(states, buf, sizeof(buf)), "S,D,I,R,T");
	assert_int_equal(offcpu_states__parse("S,s", &states, &err), -EINVAL);
	assert_non_null(strstr(err.text, "\"s\""));
	assert_int_equal(offcpu_states__parse("", &states, &err), -EINVAL);
	assert_int_equal(offcpu_states__parse("S,", &states, &err), -EINVAL);
	assert_int_equal(offcpu_states__parse("sleepy", &states, &err), -EINVAL);
}

/* A task that is preempted on its way to sleep goes on where it was: it has the state of a sleeper, and yet waits for a CPU only. */
static void preempted_tasks_do_not_sleep(void **state)
{
	static const struct {
		bool preempt;
		u32 state, is;
	} tasks[] = {
		{ false, 0, OFFCPU_PREEMPTED },
		{ true, 0, OFFCPU_PREEMPTED },
		{ true, TASK_INTERRUPTIBLE, OFFCPU_PREEMPTED },
		{ true, TASK_UNINTERRUPTIBLE | TASK_NOLOAD, OFFCPU_PREEMPTED },
		{ true, 0x4, OFFCPU_PREEMPTED },
		{ false, TASK_INTERRUPTIBLE, OFFCPU_SLEEPING },
		{ false, TASK_INTERRUPTIBLE | 0x2000, OFFCPU_SLEEPING }, /* it can be frozen */
		{ false, TASK_UNINTERRUPTIBLE, OFFCPU_DISK },
		{ false, TASK_UNINTERRUPTIBLE | 0x100, OFFCPU_DISK }, /* it can be killed */
		{ false, TASK_UNINTERRUPTIBLE | TASK_NOLOAD, OFFCPU_IDLE },
		{ false, 0x4, OFFCPU_STOPPED },
		{ false, 0x8, OFFCPU_STOPPED }, /* traced */
		{ false, 0x10, 0 }, /* dead */
		{ false, 0x80, 0 },
		{ false, 0x40, 0 }, /* parked */
	};

	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		assert_int_equal(sleep_state(tasks[i].preempt, tasks[i].state), tasks[i].is);
}

static int check(const char *text, struct errmsg *err)
{
	static struct filter_table table;
	struct filter *filter;
	int ret;

	if (filter__parse(text, &filter, err))
		fail_msg("%s: %s", text, err->text);
	if (filter__check(filter, NULL, err) || filter__lower(filter, &table, err))
		fail_msg("%s: %s", text, err->text);
	ret = offcpu_filter__check(filter, &table, err);
	filter__delete(filter);
	return ret;
}

static void filters_ask_for_what_sleepers_have(void **state)
{
	static const char *const known[] = {
		"pid == 1 || tid == 2", "comm == x && comm ~ \"y*\"", "uid == 0, gid == 0", "period > 5M", "time > 1s", "cpu in {0,2}",
		"ppid == 1 && prio > 100 && nice < 5", "rand < 5%", "every 10",
	};
	static const char *const unknown[] = { "ip > 5", "idle", "mode == user", "weight > 3", "mem_op == load", "addr == 0", "id == 4" };
	struct errmsg err = { "" };
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (check(known[i], &err))
			fail_msg("%s: %s", known[i], err.text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		snprintf(text, sizeof(text), "pid > 0 && (%s)", unknown[i]);
		assert_int_equal(check(text, &err), -EINVAL);
		snprintf(text, sizeof(text), "'%s'", unknown[i]);
		if (!strstr(err.text, text))
			fail_msg("%s is not named: %s", text, err.text);
	}
}

static size_t stack_size(const struct offcpu_stack *stack)
{
	return offsetof(struct offcpu_stack, ip) + stack->nr * sizeof(*stack->ip);
}

static void stacks_are_kept_once(void **state)
{
	struct offcpu_stack a = { .type = OFFCPU_STACK, .nr_kernel = 1, .nr = 3, .hash = 7, .ip = { 0x10, 0x20, 0x30 } }, b = a;
	struct offcpu_stacks *stacks = offcpu_stacks__new();
	const struct offcpu_stack *found;
	struct errmsg note = { "" };

	assert_non_null(stacks);
	b.hash = 8;
	b.ip[2] = 0x31;
	assert_int_equal(offcpu_stacks__add(stacks, &a, stack_size(&a), NULL, &note), 0);
	assert_int_equal(offcpu_stacks__add(stacks, &a, stack_size(&a), NULL, &note), 0);
	assert_int_equal(offcpu_stacks__add(stacks, &b, stack_size(&b), NULL, &note), 0);
	assert_int_equal(offcpu_stacks__nr(stacks), 2);
	found = offcpu_stacks__find(stacks, 7);
	assert_non_null(found);
	assert_int_equal(offcpu_stack__nr_user(found), 2);
	assert_memory_equal(found->ip, a.ip, 3 * sizeof(*a.ip));
	assert_null(offcpu_stacks__find(stacks, 9));
	/* what is shorter than it says is none */
	b.hash = 9;
	assert_int_equal(offcpu_stacks__add(stacks, &b, stack_size(&b) - 1, NULL, &note), -EINVAL);
	assert_int_equal(offcpu_stacks__add(stacks, &b, 4, NULL, &note), -EINVAL);
	b.nr = 2 * OFFCPU_MAX_FRAMES + 1;
	assert_int_equal(offcpu_stacks__add(stacks, &b, sizeof(b), NULL, &note), -EINVAL);
	offcpu_stacks__delete(stacks);
	offcpu_stacks__delete(NULL);
}

/* One that BPF has finished and one that user space has: hashes differ. */
static void equal_stacks_are_one(void **state)
{
	struct offcpu_stack a = { .type = OFFCPU_STACK, .nr_kernel = 1, .nr = 3, .hash = 7, .ip = { 0x10, 0x20, 0x30 } }, b = a, c = a;
	struct offcpu_stacks *stacks = offcpu_stacks__new();
	struct errmsg note = { "" };

	assert_non_null(stacks);
	b.hash = 8;
	c.hash = 9;
	c.nr_kernel = 0;
	assert_int_equal(offcpu_stacks__add(stacks, &a, stack_size(&a), NULL, &note), 0);
	assert_int_equal(offcpu_stacks__add(stacks, &b, stack_size(&b), NULL, &note), 0);
	assert_int_equal(offcpu_stacks__add(stacks, &c, stack_size(&c), NULL, &note), 0);
	assert_int_equal(offcpu_stacks__nr(stacks), 2);
	assert_int_equal(offcpu_stacks__first(stacks, 7), 7);
	assert_int_equal(offcpu_stacks__first(stacks, 8), 7);
	assert_int_equal(offcpu_stacks__first(stacks, 9), 9);
	assert_int_equal(offcpu_stacks__first(stacks, 10), 10);
	assert_non_null(offcpu_stacks__find(stacks, 8));
	offcpu_stacks__delete(stacks);
}

static void sleeps_become_samples(void **state)
{
	static const u64 chain[] = { PERF_CONTEXT_KERNEL, 0x10, PERF_CONTEXT_USER, 0x20, 0x30, PERF_CONTEXT_KERNEL, 0x40 };
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_RAW,
	};
	const struct offcpu_stack stack = { .nr_kernel = 1, .nr = 3, .ip = { 0x10, 0x20, 0x30 } };
	const struct offcpu_stack deep = { .nr_kernel = OFFCPU_MAX_FRAMES, .nr = 2 * OFFCPU_MAX_FRAMES };
	const struct offcpu_stack waker = { .nr_kernel = 1, .nr = 1, .ip = { 0x40 } };
	const struct offcpu_sleep sleep = { .who = { .pid = 3, .tid = 4, .cpu = 5 }, .end = 6, .ns = 7, .state = OFFCPU_DISK };
	u64 buf[OFFCPU_RECORD_MAX / sizeof(u64)];
	const union perf_record *record = (void *)buf;
	struct perf_sample sample;
	size_t size;

	size = offcpu_record__encode(buf, &attr, 99, &sleep, 8, &stack, &waker);
	assert_int_equal(size, record->header.size);
	assert_int_equal(perf_sample__decode(&sample, &attr, record), 0);
	assert_int_equal(sample.id, 99);
	assert_int_equal(sample.ip, 0x10);
	assert_int_equal(sample.pid, 3);
	assert_int_equal(sample.tid, 4);
	assert_int_equal(sample.cpu, 5);
	assert_int_equal(sample.time, 6);
	assert_int_equal(sample.period, 7);
	assert_int_equal(sample.count, 8);
	assert_int_equal(sample.cpumode, PERF_RECORD_MISC_KERNEL);
	assert_string_equal(wall_state__of(&sample), "disk");
	assert_int_equal(sample.nr_callchain, ARRAY_SIZE(chain));
	assert_memory_equal(sample.callchain, chain, sizeof(chain));
	/* the longest one there can be, and none at all */
	assert_int_equal(offcpu_record__encode(buf, &attr, 99, &sleep, 1, &deep, &deep), sizeof(buf) - sizeof(u64)); /* no second id */
	offcpu_record__encode(buf, &attr, 99, &sleep, 1, NULL, NULL);
	assert_int_equal(perf_sample__decode(&sample, &attr, record), 0);
	assert_int_equal(sample.nr_callchain, 0);
	assert_int_equal(sample.cpumode, PERF_RECORD_MISC_USER);
}

#define NAP_MS 5

/* A child that, for each byte it is sent, naps that many times and answers; the reading is a sleep, too. */
static pid_t start_napper(long ns, int to[2], int from[2])
{
	const struct timespec nap = { .tv_nsec = ns };
	unsigned char naps;
	pid_t pid;

	if (pipe(to) || pipe(from))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	close(to[1]);
	prctl(PR_SET_TIMERSLACK, 1);
	while (read(to[0], &naps, 1) == 1) {
		for (int i = 0; i < naps; i++)
			nanosleep(&nap, NULL);
		if (write(from[1], "", 1) != 1)
			break;
	}
	_exit(0);
}

struct sum {
	u64 naps, ns, rows;
	pid_t pid;
};

static int add_row(void *data, const struct tally_row *row)
{
	struct sum *sum = data;

	assert_int_equal(row->pid, sum->pid);
	assert_int_equal(row->uid, 0); /* not asked for, or root */
	assert_true(row->nr_kstack > 0); /* it came before the sum */
	sum->naps += row->count;
	sum->ns += row->period;
	sum->rows++;
	return 0;
}

static struct source *count_sleeps_of(struct evsel *evsel)
{
	static const struct tally_opts count = { .key = TALLY_KEY_PID | TALLY_KEY_KSTACK };
	const struct sampler_target target = { .system_wide = true };
	const struct source_setup setup = { .target = &target };
	struct source_wish wish = { .evsel = evsel, .tally = &count };
	struct source *source;
	struct errmsg err;

	if (sources__choose(&wish, &source, &err))
		fail_msg("%s", err.text);
	assert_string_equal(source->ops->name, "off-cpu");
	if (source->ops->load(source, &setup, &err) || source->ops->enable(source, &err))
		fail_msg("%s", err.text);
	return source;
}

static struct evsel *sleeps_of(pid_t pid)
{
	struct evsel *evsel = evsel__new(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
	char filter[32];

	assert_true(pid > 0);
	assert_non_null(evsel);
	evsel->kind = &off_cpu_kind;
	snprintf(filter, sizeof(filter), "pid == %d", pid);
	assert_int_equal(evsel__add_filter(evsel, "filter", filter, NULL), 0);
	return evsel;
}

static void close_all(const int to[2], const int from[2])
{
	close(to[0]);
	close(to[1]);
	close(from[0]);
	close(from[1]);
}

static void watch_rounds(struct sum *sum, struct sampler_counts *counts)
{
	const unsigned char naps = 4;
	struct evsel *evsel;
	struct source *source;
	struct errmsg err;
	int to[2], from[2];
	char byte;

	*sum = (struct sum){ .pid = start_napper(NAP_MS * 1000000L, to, from) };
	evsel = sleeps_of(sum->pid);
	source = count_sleeps_of(evsel);
	for (int round = 0; round < 10; round++) {
		assert_int_equal(write(to[1], &naps, 1), 1);
		assert_int_equal(source->ops->collect(source, add_row, sum, &err), 0); /* in the middle of naps */
		assert_int_equal(read(from[0], &byte, 1), 1);
	}
	assert_int_equal(source->ops->disable(source), 0);
	assert_int_equal(source->ops->collect(source, add_row, sum, &err), 0);
	assert_int_equal(source->ops->counts(source, counts, &err), 0);
	source__delete(source);
	evsel__delete(evsel);
	close_all(to, from);
	assert_int_equal(waitpid(sum->pid, NULL, 0), sum->pid);
}

/* What a round holds is in no other, whenever it is fetched. */
static void rounds_have_all_sleeps_once(void **state)
{
	struct sampler_counts counts;
	struct sum sum;
	u64 ran;

	if (geteuid())
		skip();
	need_first_pid_namespace();
	for (int try = 0; try < 30; try++) { /* The switch that ends a sleep is hidden if the CPU was process 1's before. */
		ran = process_1_ran();
		watch_rounds(&sum, &counts);
		if (process_1_ran() == ran)
			break;
	}
	assert_int_equal(counts.lost, 0);
	assert_true(counts.filtered);
	/* The one that is not over, if it had begun, was judged when it began. */
	assert_int_equal(counts.seen - counts.dropped, sum.naps);
	/* Where the host takes the CPU away before a nap begins, its time may be over: then there is none, or a short one. */
	assert_in_range(sum.naps, 36, 10000);
	assert_true(sum.ns >= 36ull * NAP_MS * 1000000);
	assert_in_range(sum.rows, 2, 100);
}

#define SPANS 50

/* It takes a while to detach the programs. Sleeps that begin meanwhile are in no sum, so no filter has judged them. */
static void sleeps_after_the_end_do_not_count(void **state)
{
	const unsigned char naps[] = { 50, 255 };
	struct sampler_counts counts;
	struct sum sum = { 0 };
	struct evsel *evsel;
	struct source *source;
	struct errmsg err;
	int to[2], from[2];
	char byte;

	if (geteuid())
		skip();
	need_first_pid_namespace();
	sum.pid = start_napper(20000, to, from);
	evsel = sleeps_of(sum.pid);
	source = count_sleeps_of(evsel);
	for (int span = 0; span < SPANS; span++) {
		assert_int_equal(source->ops->enable(source, &err), 0);
		assert_int_equal(write(to[1], naps, sizeof(naps)), sizeof(naps));
		assert_int_equal(read(from[0], &byte, 1), 1);
		assert_int_equal(source->ops->disable(source), 0);
		assert_int_equal(source->ops->collect(source, add_row, &sum, &err), 0);
		assert_int_equal(source->ops->counts(source, &counts, &err), 0);
		assert_int_equal(counts.seen - counts.dropped, sum.naps);
		assert_int_equal(read(from[0], &byte, 1), 1);
	}
	assert_in_range(sum.naps, SPANS * 10, SPANS * (50 + 255 + 2));
	source__delete(source);
	evsel__delete(evsel);
	close_all(to, from);
	assert_int_equal(waitpid(sum.pid, NULL, 0), sum.pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_have_letters_and_names),
		cmocka_unit_test(preempted_tasks_do_not_sleep),
		cmocka_unit_test(filters_ask_for_what_sleepers_have),
		cmocka_unit_test(stacks_are_kept_once),
		cmocka_unit_test(equal_stacks_are_one),
		cmocka_unit_test(sleeps_become_samples),
		cmocka_unit_test(rounds_have_all_sleeps_once),
		cmocka_unit_test(sleeps_after_the_end_do_not_count),
	};

	return cmocka_run_group_tests_name("offcpu", tests, NULL, NULL);
}
