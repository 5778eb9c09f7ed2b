// SPDX-License-Identifier: GPL-2.0
/*
 * What a clock on each CPU costs a task that is not recorded: time that it lacks for each sample, beside no event, an event without a
 * program, and one whose program is empty.
 *
 * A task that nothing but interrupts can stop reads the clock all the time: what it does not see, an interrupt has taken. The kinds of
 * events take turns in short windows, since the speed of a machine changes from second to second; figures are medians over the rounds.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf_skel/filter.h"
#include "util/judge/bpf-filter.h"
#include "util/lib/clock.h"
#include "util/source/bpf-target.h"

#define NR_ROUNDS 101
#define FREQ 9999
#define WINDOW_NS 10000000ULL
#define LEAST_GAP_NS 300    /* longer than it takes to read the clock twice */
#define GREATEST_GAP_NS 50000 /* a hypervisor's doing */

struct contender {
	const char *name;
	bool has_event;
	int prog_fd; /* -1: none */
	double percent[NR_ROUNDS]; /* of the window that is missing */
};

static void die(const char *what)
{
	fprintf(stderr, "clock-cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int load_empty(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "empty", "GPL", insns, 2, NULL);

	if (fd < 0)
		die("cannot load an empty program");
	return fd;
}

static struct task_marks *new_marks(void)
{
	const struct sampler_target target = { .waits = true, .inherit = true, .opened_at = clock__ns(CLOCK_BOOTTIME) };
	struct errmsg err;
	struct task_marks *marks = task_marks__new(&target, &err);

	if (!marks) {
		fprintf(stderr, "clock-cost: %s\n", err.text);
		exit(1);
	}
	return marks;
}

static void lie_in_wait(int cpu)
{
	const struct sched_param first = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("cannot run on the CPU");
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		die("cannot run before all others");
}

static int open_event(const struct contender *c, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr), .freq = 1, .sample_freq = FREQ,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD, .disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("cannot open the event");
	if (c->prog_fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, c->prog_fd))
		die("cannot attach the program");
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		die("cannot enable the event");
	return fd;
}

static inline u64 monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static double missing_percent(void)
{
	const u64 begin = monotonic_ns();
	u64 last = begin, now, missing = 0;

	do {
		now = monotonic_ns();
		if (now - last > LEAST_GAP_NS && now - last < GREATEST_GAP_NS)
			missing += now - last;
		last = now;
	} while (now - begin < WINDOW_NS);
	return 100.0 * missing / (now - begin);
}

static void measure(struct contender *c, unsigned int round, int cpu)
{
	int fd = c->has_event ? open_event(c, cpu) : -1;

	c->percent[round] = missing_percent();
	if (fd >= 0)
		close(fd);
	usleep(5000); /* the kernel lets others have a part of each second */
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(const double *values)
{
	double sorted[NR_ROUNDS];

	memcpy(sorted, values, sizeof(sorted));
	qsort(sorted, NR_ROUNDS, sizeof(*sorted), compare);
	return sorted[NR_ROUNDS / 2];
}

static void print(const struct contender *c, const struct contender *none)
{
	double over[NR_ROUNDS], ns;

	for (unsigned int i = 0; i < NR_ROUNDS; i++)
		over[i] = c->percent[i] - none->percent[i];
	ns = median(over) * 1e7 / FREQ;
	printf("%-28s %6.0f ns each, %5.3f %% of a CPU at 999 Hz\n", c->name, ns, ns * 999 / 1e7);
}

int main(int argc, char **argv)
{
	const int cpu = argc > 1 ? atoi(argv[1]) : 0;
	struct task_marks *marks = new_marks();
	const struct filter_table table = {
		.nr = 1, .entry = { { .term = FILTER_TERM_TID, .cond = FILTER_EQ, .jt = FILTER_ACCEPT, .jf = FILTER_REJECT, .mask = ~0ULL } },
	};
	struct bpf_filter *filter;
	struct errmsg err;
	struct contender contenders[] = {
		{ .name = "no event", .prog_fd = -1 },
		{ .name = "an event without a program", .has_event = true, .prog_fd = -1 },
		{ .name = "an empty program", .has_event = true, .prog_fd = load_empty() },
		{ .name = "not of the target", .has_event = true, .prog_fd = bpf_programs__prog(task_marks__programs(marks), "target_sample") },
		{ .name = "the same, with a filter", .has_event = true },
	};
	const unsigned int nr = sizeof(contenders) / sizeof(*contenders);

	if (bpf_filter__load_marked(&table, 1, task_marks__programs(marks), &filter, &err)) {
		fprintf(stderr, "clock-cost: %s\n", err.text);
		return 1;
	}
	contenders[nr - 1].prog_fd = bpf_filter__prog_fd(filter);
	lie_in_wait(cpu);
	for (unsigned int round = 0; round < NR_ROUNDS; round++) {
		for (unsigned int i = 0; i < nr; i++)
			measure(&contenders[i], round, cpu);
	}
	for (unsigned int i = 0; i < nr; i++)
		print(&contenders[i], &contenders[0]);
	bpf_filter__delete(filter);
	task_marks__delete(marks);
	return 0;
}
