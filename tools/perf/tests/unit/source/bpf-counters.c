// SPDX-License-Identifier: GPL-2.0
/* What BPF programs count for tasks, beside the events of these tasks themselves. */
#include "util/source/bpf-counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/bpf/pid-namespace.h"
#include "util/bpf/kernel-features.h"
#include "util/filter/filter.h"

enum { FAULTS, MIGRATIONS, SWITCHES, CLOCK, NR_EVENTS };
static const u64 configs[NR_EVENTS] = {
	[FAULTS] = PERF_COUNT_SW_PAGE_FAULTS,
	[MIGRATIONS] = PERF_COUNT_SW_CPU_MIGRATIONS,
	[SWITCHES] = PERF_COUNT_SW_CONTEXT_SWITCHES,
	[CLOCK] = PERF_COUNT_SW_TASK_CLOCK,
};

#define NR_TRIES 50 /* until the kernel shows all switches: what runs beside this may hide some */

static struct perf_event_attr attr_of(int event)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = configs[event],
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static void touch(int nr_pages)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, nr_pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, nr_pages * page, MADV_NOHUGEPAGE);
	for (int i = 0; i < nr_pages; i++)
		p[i * page] = 1;
	munmap(p, nr_pages * page);
}

/* On both of two CPUs, with children, and naps between. */
static void work(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			touch(10 + i);
			prctl(PR_SET_NAME, i % 2 ? "odd-one" : "even-one");
			usleep(100);
			touch(10);
			_exit(0);
		}
		if (i % 3)
			sched_yield();
		touch(3);
		waitpid(pid, NULL, 0);
	}
}

static pid_t start_worker(int *go_fd)
{
	int go[2];
	pid_t pid;

	assert_int_equal(pipe(go), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		char byte;

		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			work();
		_exit(0);
	}
	close(go[0]);
	*go_fd = go[1];
	return pid;
}

struct counting {
	struct bpf_counters *counters;
	u64 count[NR_EVENTS]; /* sums over CPUs */
	u64 missed;
};

static void open_counting(struct counting *c, const struct bpf_counters_opts *opts)
{
	struct errmsg err;
	struct cpumap *cpus = cpumap__online(&err);

	if (!cpus || bpf_counters__new(&c->counters, opts, &err) || bpf_counters__load(c->counters, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < cpus->nr * NR_EVENTS; i++) {
		struct perf_event_attr attr = attr_of(i % NR_EVENTS);
		int cpu = cpus->cpu[i / NR_EVENTS];
		int fd = sys_perf_event_open(&attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		assert_true(fd >= 0);
		if (bpf_counters__needs_counter(&attr) && bpf_counters__set(c->counters, i % NR_EVENTS, cpu, fd, &err))
			fail_msg("%s", err.text);
		close(fd);
	}
	free(cpus);
}

static void close_counting(struct counting *c)
{
	struct cpumap *cpus = cpumap__possible(NULL);
	struct counters_row *row;
	struct errmsg err;

	assert_non_null(cpus);
	row = bpf_counters__row(c->counters, 0, &err);
	if (!row)
		fail_msg("%s", err.text);
	for (int i = 0; i < cpus->nr * NR_EVENTS; i++)
		c->count[i % NR_EVENTS] += row[cpus->cpu[i / NR_EVENTS]].count[i % NR_EVENTS];
	free(cpus);
	assert_int_equal(bpf_counters__untracked(c->counters), 0);
	c->missed = bpf_counters__missed(c->counters);
	free(row);
	bpf_counters__delete(c->counters);
}

static void open_of_task(int *fd, pid_t pid)
{
	for (int i = 0; i < NR_EVENTS; i++) {
		struct perf_event_attr attr = attr_of(i);

		attr.inherit = 1;
		fd[i] = sys_perf_event_open(&attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
		assert_true(fd[i] >= 0);
	}
}

static void read_of_task(const int *fd, u64 *count)
{
	for (int i = 0; i < NR_EVENTS; i++) {
		u64 value[3];

		assert_int_equal(read(fd[i], value, sizeof(value)), sizeof(value));
		count[i] = value[0];
		close(fd[i]);
	}
}

static struct bpf_counters_opts opts_of(const struct sampler_target *target)
{
	static struct perf_event_attr attrs[NR_EVENTS];

	for (int i = 0; i < NR_EVENTS; i++)
		attrs[i] = attr_of(i);
	return (struct bpf_counters_opts){ .nr_events = NR_EVENTS, .attrs = attrs, .target = target };
}

static void run_worker(struct counting *c, pid_t pid, int go_fd)
{
	struct errmsg err;

	if (bpf_counters__begin(c->counters, &err))
		fail_msg("%s", err.text);
	assert_int_equal(write(go_fd, "", 1), 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	if (bpf_counters__end(c->counters, &err))
		fail_msg("%s", err.text);
	close(go_fd);
}

static void tasks_have_what_their_own_events_have(void **state)
{
	for (int try = 0; try < NR_TRIES; try++) {
		struct counting c = { 0 };
		int go_fd, fd[NR_EVENTS];
		pid_t pid = start_worker(&go_fd);
		const struct sampler_target target = { .tids = &pid, .nr_tids = 1, .inherit = true, .no_events = true };
		const struct bpf_counters_opts opts = opts_of(&target);
		u64 own[NR_EVENTS];

		open_counting(&c, &opts);
		open_of_task(fd, pid);
		run_worker(&c, pid, go_fd);
		read_of_task(fd, own);
		close_counting(&c);
		if (c.missed)
			continue;
		assert_int_equal(c.count[FAULTS], own[FAULTS]);
		assert_true(own[FAULTS] >= 20 * (3 + 10 + 10));
		assert_int_equal(c.count[MIGRATIONS], own[MIGRATIONS]);
		/* The events of a task end a little before the task does. */
		assert_in_range(c.count[SWITCHES], own[SWITCHES], own[SWITCHES] + 21);
		assert_true(c.count[CLOCK] >= own[CLOCK]);
		return;
	}
	fail_msg("the kernel has hidden switches in each of %d runs", NR_TRIES);
}

static struct filter_table *table_of(const char *text)
{
	struct filter_table *table = calloc(1, sizeof(*table));
	struct errmsg err;

	assert_non_null(table);
	if (filter__compile(text, table, &err))
		fail_msg("%s", err.text);
	return table;
}

/* Two filters that exclude each other divide what all tasks have. */
static void filters_divide_the_counts(void **state)
{
	static const char *const texts[] = { "comm == odd-one", "comm != odd-one" };

	for (int try = 0; try < NR_TRIES; try++) {
		struct counting c[3] = { 0 };
		int go_fd;
		pid_t pid = start_worker(&go_fd);
		const struct sampler_target target = { .tids = &pid, .nr_tids = 1, .inherit = true, .no_events = true };
		struct filter_table *tables[3] = { table_of(texts[0]), table_of(texts[1]) };
		struct errmsg err;

		for (int i = 0; i < 3; i++) {
			struct bpf_counters_opts opts = opts_of(&target);

			opts.table = tables[i];
			open_counting(&c[i], &opts);
			if (bpf_counters__begin(c[i].counters, &err))
				fail_msg("%s", err.text);
			free(tables[i]);
		}
		run_worker(&c[0], pid, go_fd);
		for (int i = 0; i < 3; i++)
			close_counting(&c[i]);
		if (c[0].missed + c[1].missed + c[2].missed)
			continue;
		assert_int_equal(c[0].count[FAULTS] + c[1].count[FAULTS], c[2].count[FAULTS]);
		assert_int_equal(c[0].count[SWITCHES] + c[1].count[SWITCHES], c[2].count[SWITCHES]);
		/* Ten children touch 10 pages each under that name, and 11 to 29 before; there are some pages that work() does not know of. */
		assert_in_range(c[0].count[FAULTS], 10 * 10, 10 * 20);
		return;
	}
	fail_msg("the kernel has hidden switches in each of %d runs", NR_TRIES);
}

static int setup(void **state)
{
	if (geteuid())
		skip();
	need_first_pid_namespace();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(tasks_have_what_their_own_events_have, setup),
		cmocka_unit_test_setup(filters_divide_the_counts, setup),
	};

	return cmocka_run_group_tests_name("bpf-counters", tests, NULL, NULL);
}
