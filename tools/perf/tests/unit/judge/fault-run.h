/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs of filter programs on page faults: the thread decides their number, and each is one sample. The event counts them itself,
 * accepted or not, and the ring has the accepted ones, so every run checks the program's counts against both.
 */
#ifndef PERF_TESTS_FAULT_RUN_H
#define PERF_TESTS_FAULT_RUN_H

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tests/unit/bpf/pid-namespace.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/old-kernel.h"

/* The tested program: this kernel's, or the one for old kernels, which every kernel accepts. */
static int (*load_filter)(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err) = bpf_filter__load;

static inline int use_old_program(void **state)
{
	load_filter = bpf_filter__load_old;
	return 0;
}

static inline int use_own_program(void **state)
{
	load_filter = bpf_filter__load;
	return 0;
}

static inline void need_prepared_samples(void)
{
	if (!old_kernel__is())
		return;
	print_message("skipped: Linux before 6.3\n");
	skip();
}

/* For tests of tid or pid: programs for old kernels call a helper for them, others use the sample's. */
static inline void need_ids(void)
{
	if (load_filter == bpf_filter__load_old || old_kernel__is())
		need_first_pid_namespace();
}

static inline void need_files(void)
{
	if (kernel_offer__probe(KERNEL_FIND_VMA) == KERNEL_HAS)
		return;
	print_message("skipped: Linux before 5.17\n");
	skip();
}

#define NR_PAGES 40
#define RING_PAGES 8
#define PAGE_SIZE 4096
#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |	\
		     PERF_SAMPLE_PERIOD | PERF_SAMPLE_CGROUP)

/* A record of the event below: the members are in the order in which perf_event.h describes their bits. */
struct sample {
	struct perf_event_header header;
	u64 ip;
	u32 pid, tid;
	u64 time, addr, id, period, cgroup;
};

struct run {
	struct filter_counts counts;
	u64 events;	      /* page faults, by the event's count */
	u64 kept;	      /* samples in the ring */
	struct sample sample; /* the last of them */
	u64 id;		      /* id of the event */
	char *memory;	      /* NR_PAGES pages that the workload touches */
};

static inline struct filter_entry test_of(u8 term, u8 cond, u64 value)
{
	return (struct filter_entry){ .term = term, .cond = cond, .jt = FILTER_ACCEPT, .jf = FILTER_REJECT, .mask = ~0ULL,
				      .value = value };
}

static inline struct filter_table table_of(struct filter_entry entry)
{
	return (struct filter_table){ .entry = { entry }, .nr = 1 };
}

static inline void open_run(struct run *run)
{
	memset(run, 0, sizeof(*run));
	run->memory = mmap(NULL, NR_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(run->memory, MAP_FAILED);
	assert_int_equal(madvise(run->memory, NR_PAGES * PAGE_SIZE, MADV_NOHUGEPAGE), 0);
}

static inline int open_marked_faults(struct run *run, pid_t tid, u64 sample_type, bool inherit, u64 mark)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = sample_type,
		.disabled = 1,
		.inherit = inherit,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sig_data = mark,
	};
	int fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ID, &run->id), 0);
	return fd;
}

static inline int open_faults(struct run *run, pid_t tid, u64 sample_type, bool inherit)
{
	return open_marked_faults(run, tid, sample_type, inherit, 0);
}

/* In a separate section, so that the bounds of its code are known. */
extern const char __start_touch_text[], __stop_touch_text[];
static __attribute__((unused, noinline, section("touch_text"))) void touch(volatile char *memory)
{
	for (int i = 0; i < NR_PAGES; i++)
		memory[i * PAGE_SIZE] = 1;
}

static inline void read_samples(struct run *run, const struct perf_event_mmap_page *ring)
{
	u64 head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	const char *data = (const char *)ring + ring->data_offset;

	assert_true(head <= ring->data_size); /* nothing is overwritten or split */
	for (u64 pos = 0; pos < head; pos += run->sample.header.size) {
		memcpy(&run->sample, data + pos, sizeof(run->sample));
		assert_int_equal(run->sample.header.type, PERF_RECORD_SAMPLE);
		assert_int_equal(run->sample.header.size, sizeof(run->sample));
		run->kept++;
	}
}

static inline void check_counts(struct run *run, struct bpf_filter *filter)
{
	struct errmsg err;

	assert_int_equal(bpf_filter__counts(filter, 0, &run->counts, &err), 0);
	assert_true(run->events >= NR_PAGES);
	assert_int_equal(run->counts.seen, run->events);
	assert_int_equal(run->counts.seen - run->counts.dropped, run->kept);
}

/* Run work on the calling thread under the filter. */
static inline void run_filter(struct run *run, const struct filter_table *table, void (*work)(volatile char *memory))
{
	struct perf_event_mmap_page *ring;
	size_t ring_size = (1 + RING_PAGES) * PAGE_SIZE;
	struct bpf_filter *filter;
	struct errmsg err;
	int fd = open_faults(run, 0, SAMPLE_TYPE, false);

	if (load_filter(table, 1, &filter, &err))
		fail_msg("%s", err.text);
	assert_int_equal(bpf_filter__attach(filter, fd, &err), 0);
	ring = mmap(NULL, ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(ring, MAP_FAILED);
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	work(run->memory);
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(read(fd, &run->events, sizeof(run->events)), sizeof(run->events));
	read_samples(run, ring);
	check_counts(run, filter);
	munmap(ring, ring_size);
	close(fd);
	bpf_filter__delete(filter);
}

static inline void close_run(struct run *run)
{
	munmap(run->memory, NR_PAGES * PAGE_SIZE);
}

/* Check how many of the events a table keeps: all, or none. */
static inline void check_verdict(const struct filter_table *table, bool accepts)
{
	struct run run;

	open_run(&run);
	run_filter(&run, table, touch);
	assert_int_equal(run.kept, accepts ? run.events : 0);
	close_run(&run);
}

static inline void check_entry(struct filter_entry entry, bool accepts)
{
	struct filter_table table = table_of(entry);

	check_verdict(&table, accepts);
}

/* A table that accepts lo <= term < hi. */
static inline struct filter_table range_of(u8 term, u64 lo, u64 hi)
{
	struct filter_table table = { .entry = { test_of(term, FILTER_GT | FILTER_EQ, lo), test_of(term, FILTER_LT, hi) },
				      .nr = 2 };

	table.entry[0].jt = 1;
	return table;
}

static inline void stay_on_cpu(cpu_set_t *before)
{
	cpu_set_t one;

	assert_int_equal(sched_getaffinity(0, sizeof(*before), before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

/* The kernel touches the pages: read() writes to them. */
static inline void kernel_touch(volatile char *memory)
{
	int fd = open("/dev/zero", O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, (char *)memory, NR_PAGES * PAGE_SIZE), NR_PAGES * PAGE_SIZE);
	close(fd);
}

static inline void set_comm(const char *name, __u64 words[2])
{
	assert_int_equal(prctl(PR_SET_NAME, name, 0, 0, 0), 0);
	memset(words, 0, FILTER_COMM_LEN);
	memcpy(words, name, strnlen(name, FILTER_COMM_LEN - 1));
}

/* The automaton of filter.h for '*', '?' and plain bytes. */
static inline void build_glob(struct filter_glob *glob, const char *pattern)
{
	unsigned int i = 0;

	memset(glob, 0, sizeof(*glob));
	for (; *pattern; pattern++) {
		if (*pattern == '*') {
			glob->loop |= 1U << i;
			continue;
		}
		for (int c = 0; c < 256; c++)
			if (*pattern == '?' || c == *(const unsigned char *)pattern)
				glob->step[c] |= 1U << i;
		i++;
	}
	glob->final = 1U << i;
}

/* The same test again, with the program for old kernels */
#define old_unit_test(f) { #f "_old", f, use_old_program, use_own_program, NULL }

#endif
