// SPDX-License-Identifier: GPL-2.0
/*
 * What a filter costs: kernel time per sample over an empty program, and the time to load it.
 *
 * The samples are page faults of this process, which no filter accepts, so that writing them is not measured. The kernel's
 * own clock around each program run (BPF_STATS_RUN_TIME) counts, and its cost is in the empty program's time too. The
 * programs take turns in each round, since the speed of a machine changes more from second to second than the programs
 * differ; a figure is the median over the rounds of the difference within a round.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "tests/bench/filter-cost.lskel.h"
#include "util/lib/types.h"
#include "util/sampler/bpf-filter.h"

#define NR_ROUNDS 41
#define NR_PAGES 512
#define SWEEPS 8
#define PAGE_SIZE 4096
#define NO_SUCH_TID 0x40000000 /* above the kernel's PID_MAX_LIMIT */
#define NR_LOADS 11

struct contender {
	const char *name;
	int prog_fd;
	int event_fd;
	double ns[NR_ROUNDS]; /* each round's mean time of a run */
	double over_ns;
};

static void die(const char *what)
{
	fprintf(stderr, "filter-cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* TID equals one of nr ids, none of which exists: every entry is run. */
static void fill_table(struct filter_table *table, unsigned int nr)
{
	memset(table, 0, sizeof(*table));
	table->nr = nr;
	for (unsigned int i = 0; i < nr; i++)
		table->entry[i] = (struct filter_entry){
			.term = FILTER_TERM_TID,
			.cond = FILTER_EQ,
			.jt = FILTER_ACCEPT,
			.jf = i + 1 < nr ? i + 1 : FILTER_REJECT,
			.mask = ~0ULL,
			.value = NO_SUCH_TID + i,
		};
}

static struct bpf_filter *load_filter(unsigned int nr)
{
	struct filter_table table;
	struct bpf_filter *filter;
	struct errmsg err;

	fill_table(&table, nr);
	if (bpf_filter__load(&table, &filter, &err)) {
		fprintf(stderr, "filter-cost: %s\n", err.text);
		exit(1);
	}
	return filter;
}

static struct filter_cost *load_by_hand(void)
{
	struct filter_cost *skel = filter_cost__open();

	if (!skel)
		die("no memory for the comparison programs");
	for (int i = 0; i < 5; i++)
		skel->rodata->wanted_tids[i] = NO_SUCH_TID + i;
	errno = -filter_cost__load(skel);
	if (errno)
		die("cannot load the comparison programs");
	return skel;
}

static void open_event(struct contender *c)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.disabled = 1,
	};

	c->event_fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (c->event_fd < 0)
		die("cannot open the page-faults event");
	if (ioctl(c->event_fd, PERF_EVENT_IOC_SET_BPF, c->prog_fd))
		die("cannot attach a program");
}

static struct bpf_prog_info prog_info(int fd)
{
	struct bpf_prog_info info = { 0 };
	u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		die("cannot read a program's run time");
	return info;
}

static double run_round(const struct contender *c, volatile char *memory)
{
	struct bpf_prog_info before = prog_info(c->prog_fd), after;

	ioctl(c->event_fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		for (int i = 0; i < NR_PAGES; i++)
			memory[i * PAGE_SIZE] = 1;
		madvise((void *)memory, NR_PAGES * PAGE_SIZE, MADV_DONTNEED);
	}
	ioctl(c->event_fd, PERF_EVENT_IOC_DISABLE, 0);
	after = prog_info(c->prog_fd);
	if (after.run_cnt - before.run_cnt < SWEEPS * NR_PAGES) {
		fprintf(stderr, "filter-cost: %s ran %llu times only\n", c->name, after.run_cnt - before.run_cnt);
		exit(1);
	}
	return (double)(after.run_time_ns - before.run_time_ns) / (after.run_cnt - before.run_cnt);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return values[nr / 2];
}

static double over(const struct contender *c, const struct contender *base)
{
	double diff[NR_ROUNDS];

	for (int i = 0; i < NR_ROUNDS; i++)
		diff[i] = c->ns[i] - base->ns[i];
	return median(diff, NR_ROUNDS);
}

static void run_rounds(struct contender *contenders, int nr)
{
	char *memory = mmap(NULL, NR_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (memory == MAP_FAILED || madvise(memory, NR_PAGES * PAGE_SIZE, MADV_NOHUGEPAGE))
		die("cannot map memory");
	if (stats_fd < 0)
		die("cannot switch on BPF run-time statistics");
	for (int i = 0; i < nr; i++) {
		open_event(&contenders[i]);
		run_round(&contenders[i], memory); /* warm up */
	}
	for (int round = 0; round < NR_ROUNDS; round++)
		for (int i = 0; i < nr; i++)
			contenders[i].ns[round] = run_round(&contenders[i], memory);
	close(stats_fd);
	munmap(memory, NR_PAGES * PAGE_SIZE);
}

static double load_ms(unsigned int nr)
{
	double ms[NR_LOADS];

	for (int i = 0; i < NR_LOADS; i++) {
		struct timespec from, to;
		struct bpf_filter *filter;

		clock_gettime(CLOCK_MONOTONIC, &from);
		filter = load_filter(nr);
		clock_gettime(CLOCK_MONOTONIC, &to);
		bpf_filter__delete(filter);
		ms[i] = (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_nsec - from.tv_nsec) / 1e6;
	}
	return median(ms, NR_LOADS);
}

static void measure_samples(void)
{
	struct bpf_filter *one = load_filter(1), *five = load_filter(5);
	struct filter_cost *hand = load_by_hand();
	struct contender c[] = {
		{ .name = "empty program", .prog_fd = hand->progs.empty.prog_fd },
		{ .name = "filter of 1 term", .prog_fd = bpf_filter__prog_fd(one) },
		{ .name = "filter of 5 terms", .prog_fd = bpf_filter__prog_fd(five) },
		{ .name = "1 term by hand", .prog_fd = hand->progs.one_term.prog_fd },
		{ .name = "5 terms by hand", .prog_fd = hand->progs.five_terms.prog_fd },
	};
	double empty_ns;

	run_rounds(c, ARRAY_SIZE(c));
	for (unsigned int i = 1; i < ARRAY_SIZE(c); i++)
		c[i].over_ns = over(&c[i], &c[0]);
	empty_ns = median(c[0].ns, NR_ROUNDS);
	printf("%-20s %6.1f ns/sample\n", c[0].name, empty_ns);
	for (unsigned int i = 1; i < ARRAY_SIZE(c); i++)
		printf("%-20s %+6.1f ns/sample over the empty program (%.2f times its time)\n", c[i].name, c[i].over_ns,
		       (empty_ns + c[i].over_ns) / empty_ns);
	for (unsigned int i = 0; i < ARRAY_SIZE(c); i++)
		close(c[i].event_fd);
	filter_cost__destroy(hand);
	bpf_filter__delete(five);
	bpf_filter__delete(one);
}

int main(void)
{
	static const unsigned int sizes[] = { 1, 5, 8, 16, 32, 64 };

	measure_samples();
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct bpf_filter *filter = load_filter(sizes[i]);
		struct bpf_prog_info info = prog_info(bpf_filter__prog_fd(filter));

		printf("load of %2u entries   %6.2f ms, %u instructions (%u verified)\n", sizes[i],
		       load_ms(sizes[i]), info.xlated_prog_len / 8, info.verified_insns);
		bpf_filter__delete(filter);
	}
	return 0;
}
