// SPDX-License-Identifier: GPL-2.0
/*
 * What a sample costs in the kernel: counted by different keys, counted as other tools do, or written to perf's own ring buffer.
 *
 * The samples are page faults of this process, at two depths of its stack. The process's CPU time is measured, since perf's ring
 * buffer has no other clock. The ways take turns in each round, as the speed of a machine changes more from second to second than
 * they differ; a figure is the median over the rounds of the difference within a round. With an argument, of how often a second to
 * sample what the machine does, it tells for some seconds how many stacks collide instead.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "util/bpf_skel/tally.h"
#include "tests/bench/tally-cost.lskel.h"
#include "util/lib/cpumap.h"
#include "util/lib/types.h"
#include "util/source/tally.h"

#define NR_ROUNDS 31
#define NR_PAGES 512
#define SWEEPS 4
#define PAGE_SIZE 4096
#define RING_PAGES 512
#define WATCH_SECONDS 4
#define DEFAULT_KEY (TALLY_KEY_COMM | TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_KSTACK | TALLY_KEY_USTACK)

struct contender {
	const char *name;
	unsigned int key;	 /* of the tally; 0: none */
	u32 max_keys;
	bool ring, callchain;
	int prog_fd;		 /* another program; 0: none */
	struct tally *tally;
	struct perf_event_mmap_page *control;
	int event_fd;
	double ns[NR_ROUNDS]; /* each round's mean time of a page fault */
};

static void die(const char *what)
{
	fprintf(stderr, "count-cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct tally_cost *load_others(void)
{
	struct tally_cost *skel = tally_cost__open();

	if (!skel)
		die("no memory for the comparison programs");
	skel->rodata->tally_config.key = DEFAULT_KEY;
	skel->rodata->tally_config.stack_size = TALLY_MAX_STACK * sizeof(u64);
	errno = -tally_cost__load(skel);
	if (errno)
		die("cannot load the comparison programs");
	return skel;
}

static struct tally *load_tally(unsigned int key, u32 max_keys)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct tally *tally;
	struct errmsg err;

	opts.key = key;
	opts.max_keys = max_keys;
	opts.max_stacks = 16384;
	if (tally__load(&opts, NULL, &tally, &err)) {
		fprintf(stderr, "count-cost: %s\n", err.text);
		exit(1);
	}
	return tally;
}

static void open_event(struct contender *c, bool any)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.disabled = 1,
	};
	struct errmsg err;

	if (c->callchain)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	c->event_fd = any ? syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) : -1;
	if (!any)
		return;
	if (c->event_fd < 0)
		die("cannot open the page-faults event");
	if (c->prog_fd && ioctl(c->event_fd, PERF_EVENT_IOC_SET_BPF, c->prog_fd))
		die("cannot attach a program");
	if (c->tally && tally__attach(c->tally, c->event_fd, &err))
		die(err.text);
	if (!c->ring)
		return;
	c->control = mmap(NULL, (1 + RING_PAGES) * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, c->event_fd, 0);
	if (c->control == MAP_FAILED)
		die("cannot map a ring buffer");
}

static double thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static __attribute__((noinline, optimize("O0"))) void fault(volatile char *memory)
{
	for (int i = 0; i < NR_PAGES; i++)
		memory[i * PAGE_SIZE] = 1;
}

/* Frame pointers all the way, so that the kernel finds as many frames. */
static __attribute__((noinline, optimize("O0"))) void fault_at(unsigned int depth, volatile char *memory)
{
	if (depth)
		fault_at(depth - 1, memory);
	else
		fault(memory);
}

static double run_round(const struct contender *c, unsigned int depth, volatile char *memory)
{
	double ns = 0, begin;

	if (c->event_fd >= 0)
		ioctl(c->event_fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		begin = thread_ns();
		fault_at(depth, memory);
		ns += thread_ns() - begin;
		madvise((void *)memory, NR_PAGES * PAGE_SIZE, MADV_DONTNEED);
		if (c->control)
			c->control->data_tail = c->control->data_head;
		if (c->tally && tally__drain(c->tally))
			die("cannot read the tally's ring");
	}
	if (c->event_fd >= 0)
		ioctl(c->event_fd, PERF_EVENT_IOC_DISABLE, 0);
	return ns / (SWEEPS * NR_PAGES);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double over(const struct contender *c, const struct contender *base)
{
	double diff[NR_ROUNDS];

	for (int i = 0; i < NR_ROUNDS; i++)
		diff[i] = c->ns[i] - base->ns[i];
	qsort(diff, NR_ROUNDS, sizeof(*diff), compare);
	return diff[NR_ROUNDS / 2];
}

static int ignore_row(void *data, const struct tally_row *row)
{
	return 0;
}

static void forget(struct tally *tally)
{
	struct errmsg err;

	if (tally && tally__collect(tally, ignore_row, NULL, &err))
		die(err.text);
}

static void run_rounds(struct contender *c, int nr, unsigned int depth)
{
	char *memory = mmap(NULL, NR_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, NR_PAGES * PAGE_SIZE, MADV_NOHUGEPAGE))
		die("cannot map memory");
	for (int i = 0; i < nr; i++)
		run_round(&c[i], depth, memory); /* warm up */
	for (int round = 0; round < NR_ROUNDS; round++) {
		for (int i = 0; i < nr; i++)
			c[i].ns[round] = run_round(&c[i], depth, memory);
	}
	for (int i = 0; i < nr; i++)
		forget(c[i].tally);
	munmap(memory, NR_PAGES * PAGE_SIZE);
}

static void measure_faults(void)
{
	struct tally_cost *others = load_others();
	struct contender c[] = {
		{ .name = "no event" },
		{ .name = "empty program", .prog_fd = others->progs.empty.prog_fd },
		{ .name = "counted by pid", .key = TALLY_KEY_PID, .max_keys = 16384 },
		{ .name = "counted by pid, tid, comm, cpu, ip", .max_keys = 16384,
		  .key = TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_COMM | TALLY_KEY_CPU | TALLY_KEY_IP },
		{ .name = "counted by pid, tid, comm, stacks", .key = DEFAULT_KEY, .max_keys = 16384 },
		{ .name = "the same, in the kernel's hash map", .prog_fd = others->progs.hash_map.prog_fd },
		{ .name = "the same, by BPF stack ids", .prog_fd = others->progs.stack_ids.prog_fd },
		{ .name = "perf's ring buffer", .ring = true },
		{ .name = "perf's ring buffer, callchains", .ring = true, .callchain = true },
	};
	static const unsigned int depths[] = { 0, 25 };

	for (unsigned int i = 0; i < ARRAY_SIZE(c); i++) {
		if (c[i].key)
			c[i].tally = load_tally(c[i].key, c[i].max_keys);
		open_event(&c[i], i > 0);
	}
	for (unsigned int d = 0; d < ARRAY_SIZE(depths); d++) {
		run_rounds(c, ARRAY_SIZE(c), depths[d]);
		printf("page faults, %u frames deeper: %.0f ns each\n", depths[d], over(&c[0], &(struct contender){ 0 }));
		for (unsigned int i = 1; i < ARRAY_SIZE(c); i++)
			printf("%-36s %+7.0f ns/sample\n", c[i].name, over(&c[i], &c[0]));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(c); i++) {
		if (c[i].event_fd >= 0)
			close(c[i].event_fd);
		tally__delete(c[i].tally);
	}
	tally_cost__destroy(others);
}

/* Sample all CPUs by this program, or by the tally. */
static void watch(int prog_fd, struct tally *tally, unsigned int hz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / hz,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
	};
	struct errmsg err;
	struct cpumap *cpus = cpumap__online(&err);
	int fd[1024], nr = 0;

	for (; cpus && nr < cpus->nr && nr < (int)ARRAY_SIZE(fd); nr++) {
		fd[nr] = syscall(SYS_perf_event_open, &attr, -1, cpus->cpu[nr], -1, PERF_FLAG_FD_CLOEXEC);
		if (fd[nr] < 0)
			die("cannot open cpu-clock");
		if (tally ? tally__attach(tally, fd[nr], &err) : ioctl(fd[nr], PERF_EVENT_IOC_SET_BPF, prog_fd))
			die("cannot attach a program");
	}
	for (int i = 0; i < WATCH_SECONDS * 20; i++) {
		usleep(50000);
		if (tally && tally__drain(tally))
			die("cannot read the tally's ring");
	}
	while (nr)
		close(fd[--nr]);
	free(cpus);
}

static int count_row(void *data, const struct tally_row *row)
{
	++*(u64 *)data;
	return 0;
}

static void measure_collisions(unsigned int hz)
{
	struct tally_cost *others = load_others();
	struct tally *tally = load_tally(DEFAULT_KEY, 16384);
	struct tally_counts counts;
	struct errmsg err;
	u64 nr_keys = 0;

	watch(others->progs.stack_ids.prog_fd, NULL, hz);
	printf("BPF stack ids at %u Hz: %llu samples, of which %llu lost their stack to another one\n", hz,
	       (unsigned long long)others->bss->nr_seen, (unsigned long long)others->bss->nr_collided);
	watch(0, tally, hz);
	if (tally__collect(tally, count_row, &nr_keys, &err) || tally__counts(tally, &counts, &err))
		die(err.text);
	printf("tally at %u Hz: %" PRIu64 " samples in %" PRIu64 " keys, %" PRIu64 " of them one by one, %" PRIu64 " lost; %" PRIu64
	       " KiB\n", hz, counts.counted, nr_keys, counts.spilled, counts.lost_keys + counts.lost_spill, counts.map_bytes / 1024);
	printf("%" PRIu64 " stacks could not be taken\n", counts.lost_stacks);
	tally__delete(tally);
	tally_cost__destroy(others);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		measure_collisions(atoi(argv[1]));
	else
		measure_faults();
	return 0;
}
