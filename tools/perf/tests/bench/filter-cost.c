// SPDX-License-Identifier: GPL-2.0
/*
 * What a filter costs: kernel time per sample over an empty program, and the time to load it; of both engines, and of programs
 * that were written by hand for the same tests.
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
#include "util/bpf_skel/filter.h"
#include "tests/bench/filter-cost.lskel.h"
#include "util/bpf_skel/filter-shared.lskel.h"
#include "util/lib/types.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/program-table.h"

#define NR_ROUNDS 41
#define NR_PAGES 512
#define SWEEPS 8
#define PAGE_SIZE 4096
#define NO_SUCH_TID 0x40000000 /* above the kernel's PID_MAX_LIMIT */
#define NR_LOADS 11

struct contender {
	char name[32];
	int prog_fd;
	int event_fd;
	double ns[NR_ROUNDS]; /* each round's mean time of a run */
	double over_ns;
};

static const unsigned int nr_tests[] = { 1, 5, 20, 64 };
#define NR_KINDS 3 /* specialised, shared, by hand */

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
	if (bpf_filter__load(&table, 1, &filter, &err)) {
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
	for (int i = 0; i < FILTER_MAX_ENTRIES; i++)
		skel->rodata->wanted_tids[i] = NO_SUCH_TID + i;
	errno = -filter_cost__load(skel);
	if (errno)
		die("cannot load the comparison programs");
	return skel;
}

static struct filter_shared *load_shared(unsigned int nr)
{
	struct filter_shared *skel = filter_shared__open();
	struct filter_shared_table *shared = calloc(1, sizeof(*shared));
	struct filter_table table, prepared;
	u32 zero = 0;

	if (!skel || !shared)
		die("no memory for the shared engine");
	errno = -filter_shared__load(skel);
	if (errno)
		die("cannot load the shared engine");
	fill_table(&table, nr);
	program_table__prepare(&table, &prepared);
	shared->epoch = 1;
	memcpy(shared->entry, prepared.entry, sizeof(shared->entry));
	if (bpf_map_update_elem(skel->maps.shared_table.map_fd, &zero, shared, BPF_ANY))
		die("cannot write the shared engine's table");
	free(shared);
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

static double ms_between(const struct timespec *from, const struct timespec *to)
{
	return (to->tv_sec - from->tv_sec) * 1e3 + (to->tv_nsec - from->tv_nsec) / 1e6;
}

static double load_ms(unsigned int nr, bool specialised)
{
	double ms[NR_LOADS];

	for (int i = 0; i < NR_LOADS; i++) {
		struct bpf_filter *filter = NULL;
		struct filter_shared *shared = NULL;
		struct timespec from, to;

		clock_gettime(CLOCK_MONOTONIC, &from);
		if (specialised)
			filter = load_filter(nr);
		else
			shared = load_shared(nr);
		clock_gettime(CLOCK_MONOTONIC, &to);
		bpf_filter__delete(filter);
		if (shared)
			filter_shared__destroy(shared);
		ms[i] = ms_between(&from, &to);
	}
	return median(ms, NR_LOADS);
}

static void set_contender(struct contender *c, const char *kind, unsigned int nr, int prog_fd)
{
	snprintf(c->name, sizeof(c->name), "%s, %u test%s", kind, nr, nr > 1 ? "s" : "");
	c->prog_fd = prog_fd;
}

/* Filters beside the hand-written program of as many tests; in times of the latter's whole time, so with the empty program's. */
static void print_samples(struct contender *c, unsigned int nr)
{
	double empty_ns = median(c[0].ns, NR_ROUNDS);

	printf("%-26s %6.1f ns/sample\n", "empty program", empty_ns);
	for (unsigned int i = 1; i < nr; i++)
		c[i].over_ns = over(&c[i], &c[0]);
	for (unsigned int i = 1; i < nr; i++) {
		const struct contender *hand = &c[(i - 1) / NR_KINDS * NR_KINDS + NR_KINDS];

		printf("%-26s %+6.1f ns/sample over the empty program, %.2f times by hand\n", c[i].name, c[i].over_ns,
		       (empty_ns + c[i].over_ns) / (empty_ns + hand->over_ns));
	}
}

static void measure_samples(void)
{
	struct contender c[1 + NR_KINDS * ARRAY_SIZE(nr_tests)];
	struct bpf_filter *specialised[ARRAY_SIZE(nr_tests)];
	struct filter_shared *shared[ARRAY_SIZE(nr_tests)];
	struct filter_cost *hand = load_by_hand();
	const int by_hand[] = { hand->progs.by_hand1.prog_fd, hand->progs.by_hand5.prog_fd, hand->progs.by_hand20.prog_fd,
				hand->progs.by_hand64.prog_fd };

	c[0].prog_fd = hand->progs.empty.prog_fd;
	snprintf(c[0].name, sizeof(c[0].name), "empty program");
	for (unsigned int i = 0; i < ARRAY_SIZE(nr_tests); i++) {
		struct contender *first = &c[1 + NR_KINDS * i];

		specialised[i] = load_filter(nr_tests[i]);
		shared[i] = load_shared(nr_tests[i]);
		set_contender(&first[0], "specialised", nr_tests[i], bpf_filter__prog_fd(specialised[i]));
		set_contender(&first[1], "shared", nr_tests[i], shared[i]->progs.shared_filter.prog_fd);
		set_contender(&first[2], "by hand", nr_tests[i], by_hand[i]);
	}
	run_rounds(c, ARRAY_SIZE(c));
	print_samples(c, ARRAY_SIZE(c));
	for (unsigned int i = 0; i < ARRAY_SIZE(c); i++)
		close(c[i].event_fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(nr_tests); i++) {
		bpf_filter__delete(specialised[i]);
		filter_shared__destroy(shared[i]);
	}
	filter_cost__destroy(hand);
}

int main(void)
{
	static const unsigned int sizes[] = { 1, 8, 32, 64 };

	measure_samples();
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct bpf_filter *filter = load_filter(sizes[i]);
		struct bpf_prog_info info = prog_info(bpf_filter__prog_fd(filter));

		printf("load of %2u tests, specialised %6.2f ms, %u instructions (%u verified)\n", sizes[i],
		       load_ms(sizes[i], true), info.xlated_prog_len / 8, info.verified_insns);
		bpf_filter__delete(filter);
	}
	printf("load of any filter, shared %6.2f ms\n", load_ms(1, false));
	return 0;
}
