// SPDX-License-Identifier: GPL-2.0
/*
 * Counting of samples whose number is known: page faults of the test's own threads, each one a sample, and the event counts them
 * itself, too. (There may be a few more than those meant, as of a stack that grows or a sanitizer's memory.) Only shares of CPU time
 * are measured.
 */
#include "util/source/tally.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tests/unit/bpf/pid-namespace.h"

/* For functions that are looked for in stacks: frames by which callers are found, and a size that none of them exceeds. */
#define SMALL 128
#define FRAMED __attribute__((noinline, optimize("O0"), aligned(SMALL)))

#define PAGE 4096
#define NR_PAGES 256

static struct perf_event_attr fault_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.disabled = 1,
		.inherit = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static int open_event(struct perf_event_attr attr, u64 sample_type)
{
	int fd;

	attr.sample_type = sample_type;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

struct run { /* one tally on one event of the calling thread */
	struct tally *tally;
	int fd;
};

typedef int (*load_fn)(const struct tally_opts *opts, const struct filter_table *table, struct tally **tally,
		       struct errmsg *err);

static struct run load_run(load_fn load, const struct tally_opts *opts, const struct filter_table *table,
			   struct perf_event_attr attr, u64 more_type)
{
	struct errmsg err = { "" };
	struct run run;

	if (load(opts, table, &run.tally, &err))
		fail_msg("%s", err.text);
	run.fd = open_event(attr, tally__sample_type(opts) | more_type);
	if (tally__attach(run.tally, run.fd, &err))
		fail_msg("%s", err.text);
	return run;
}

static struct run start_run(const struct tally_opts *opts, const struct filter_table *table)
{
	struct run run = load_run(tally__load, opts, table, fault_attr(), 0);

	ioctl(run.fd, PERF_EVENT_IOC_ENABLE, 0);
	return run;
}

static void end_run(struct run *run)
{
	close(run->fd);
	tally__delete(run->tally);
}

static u64 event_count(const struct run *run)
{
	u64 count;

	assert_int_equal(read(run->fd, &count, sizeof(count)), sizeof(count));
	return count;
}

static struct tally_counts get_counts(const struct run *run)
{
	struct tally_counts counts;
	struct errmsg err;

	assert_int_equal(tally__counts(run->tally, &counts, &err), 0);
	return counts;
}

/* All rows of some collections, by name of the task. */
#define MAX_ROWS 4096
struct rows {
	unsigned int nr;
	u64 count, period;
	struct tally_row row[MAX_ROWS]; /* without stacks */
};

static int add_row(void *data, const struct tally_row *row)
{
	struct rows *rows = data;

	assert_true(rows->nr < MAX_ROWS);
	assert_true(row->count > 0 && row->first_time && row->first_time <= row->last_time);
	rows->count += row->count;
	rows->period += row->period;
	rows->row[rows->nr++] = *row;
	return 0;
}

static struct rows *collect(const struct run *run)
{
	struct rows *rows = calloc(1, sizeof(*rows));
	struct errmsg err = { "" };

	assert_non_null(rows);
	if (tally__collect(run->tally, add_row, rows, &err))
		fail_msg("%s", err.text);
	return rows;
}

static char *get_pages(void)
{
	char *pages = mmap(NULL, NR_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	madvise(pages, NR_PAGES * PAGE, MADV_NOHUGEPAGE); /* one fault for each page */
	return pages;
}

/* Exactly nr faults at one place in the code, of pages that have been forgotten. */
static FRAMED void fault(volatile char *pages, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		pages[i * PAGE] = 1;
	madvise((char *)pages, nr * PAGE, MADV_DONTNEED);
}

static void name_self(unsigned int i)
{
	char name[16];

	snprintf(name, sizeof(name), "c%u", i);
	prctl(PR_SET_NAME, name);
}

/* nr_names tasks, so to say: the i-th of them has i % 7 + 1 faults. */
static void fault_by_name(unsigned int nr_names)
{
	char *pages = get_pages(), name[16];

	prctl(PR_GET_NAME, name);
	for (unsigned int i = 0; i < nr_names; i++) {
		name_self(i);
		fault(pages, i % 7 + 1);
	}
	prctl(PR_SET_NAME, name);
	munmap(pages, NR_PAGES * PAGE);
}

static u64 count_of_name(const struct rows *rows, unsigned int i)
{
	char name[16];
	u64 count = 0;

	snprintf(name, sizeof(name), "c%u", i);
	for (unsigned int r = 0; r < rows->nr; r++) {
		if (!strcmp(rows->row[r].comm, name))
			count += rows->row[r].count;
	}
	return count;
}

static int need_root(void **state)
{
	if (geteuid()) /* loading BPF programs */
		skip();
	return 0;
}

static void test_each_sample(load_fn load)
{
	const struct tally_opts opts = { .key = TALLY_KEY_COMM | TALLY_KEY_PID | TALLY_KEY_TID, .max_keys = 1024,
					   .max_stacks = 1024, .max_stack = 16 };
	struct run run = load_run(load, &opts, NULL, fault_attr(), 0);
	struct tally_counts counts;
	struct timespec begin, end;
	struct rows *rows;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	ioctl(run.fd, PERF_EVENT_IOC_ENABLE, 0);
	fault_by_name(100);
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	rows = collect(&run);
	assert_int_equal(rows->count, event_count(&run));
	assert_int_equal(rows->period, rows->count);
	for (unsigned int i = 0; i < 100; i++)
		assert_true(count_of_name(rows, i) >= i % 7 + 1);
	for (unsigned int i = 0; i < rows->nr; i++) {
		assert_int_equal(rows->row[i].pid, getpid());
		assert_int_equal(rows->row[i].tid, syscall(SYS_gettid));
		assert_true(rows->row[i].first_time >= begin.tv_sec * 1000000000ULL + begin.tv_nsec);
		assert_true(rows->row[i].last_time <= end.tv_sec * 1000000000ULL + end.tv_nsec);
	}
	counts = get_counts(&run);
	assert_int_equal(counts.seen, rows->count);
	assert_int_equal(counts.counted, rows->count);
	assert_int_equal(counts.dropped + counts.lost_keys + counts.lost_spill + counts.lost_stacks, 0);
	assert_true(counts.map_bytes > 0);
	free(rows);
	rows = collect(&run);
	assert_int_equal(rows->nr, 0);
	free(rows);
	end_run(&run);
}

static void each_sample_is_in_a_row(void **state)
{
	need_root(state);
	test_each_sample(tally__load);
}

static void the_program_for_old_kernels_counts_as_well(void **state)
{
	need_root(state);
	need_first_pid_namespace();
	test_each_sample(tally__load_old);
}

static void keys_beyond_the_table_are_counted_one_by_one(void **state)
{
	const struct tally_opts opts = { .key = TALLY_KEY_COMM, .max_keys = 1, .max_stacks = 16384, .max_stack = 16 };
	struct tally_counts counts;
	struct rows *rows;
	struct run run;

	need_root(state);
	run = start_run(&opts, NULL);
	fault_by_name(2000);
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	rows = collect(&run);
	counts = get_counts(&run);
	assert_true(counts.spilled > 0 && counts.spilled < counts.counted);
	assert_int_equal(counts.lost_keys + counts.lost_spill, 0);
	assert_int_equal(rows->count, event_count(&run));
	assert_in_range(rows->nr, 2000, 2001); /* and perhaps what this thread is called otherwise */
	for (unsigned int i = 0; i < 2000; i++)
		assert_true(count_of_name(rows, i) >= i % 7 + 1);
	free(rows);
	end_run(&run);
}

static void what_has_no_room_is_told(u32 max_keys, bool table_is_full)
{
	const struct tally_opts opts = { .key = TALLY_KEY_COMM, .max_keys = max_keys, .max_stacks = 10, .max_stack = 16 };
	struct tally_counts counts;
	struct rows *rows;
	struct run run;

	run = start_run(&opts, NULL);
	fault_by_name(1000);
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	rows = collect(&run);
	counts = get_counts(&run);
	assert_true(table_is_full ? counts.lost_keys > 0 : counts.lost_spill > 0);
	assert_int_equal(table_is_full ? counts.lost_spill : counts.lost_keys, 0);
	assert_int_equal(counts.counted + counts.lost_keys + counts.lost_spill, counts.seen);
	assert_int_equal(counts.seen, event_count(&run));
	assert_int_equal(rows->count, counts.counted);
	free(rows);
	ioctl(run.fd, PERF_EVENT_IOC_ENABLE, 0); /* there is room again */
	fault_by_name(10);
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	rows = collect(&run);
	for (unsigned int i = 0; i < 10; i++)
		assert_true(count_of_name(rows, i) >= i % 7 + 1);
	free(rows);
	end_run(&run);
}

static void a_full_table_and_ring_are_told(void **state)
{
	need_root(state);
	what_has_no_room_is_told(1, true);
}

static void a_full_ring_is_told(void **state)
{
	need_root(state);
	what_has_no_room_is_told(1000, false);
}

/* Rounds under load */

struct faulting {
	pthread_t thread;
	unsigned int nr_names; /* 0: one */
	volatile bool stop;
};

static void *keep_faulting(void *arg)
{
	struct faulting *f = arg;
	char *pages = get_pages();

	for (unsigned int i = 0; !f->stop; i++) {
		if (f->nr_names)
			name_self(i % f->nr_names);
		fault(pages, 7);
	}
	munmap(pages, NR_PAGES * PAGE);
	return NULL;
}

/* Two threads, which the system may run at once. */
static void rounds_add_up(const struct tally_opts *opts, unsigned int nr_names)
{
	struct faulting threads[2] = { { .nr_names = nr_names }, { .nr_names = nr_names } };
	struct run run = start_run(opts, NULL);
	unsigned int nr_rounds = 0, i;
	struct tally_counts counts;
	struct rows *rows;
	u64 sum = 0;

	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i].thread, NULL, keep_faulting, &threads[i]), 0);
	while (nr_rounds < 100) {
		rows = collect(&run);
		nr_rounds += rows->count > 0;
		sum += rows->count;
		free(rows);
	}
	for (i = 0; i < 2; i++)
		threads[i].stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i].thread, NULL);
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	rows = collect(&run);
	sum += rows->count;
	free(rows);
	counts = get_counts(&run);
	assert_int_equal(counts.lost_keys + counts.lost_spill, 0);
	assert_int_equal(counts.counted, sum);
	assert_int_equal(event_count(&run), sum);
	end_run(&run);
}

static void rounds_of_one_key_add_up(void **state)
{
	need_root(state);
	rounds_add_up(&(struct tally_opts){ .key = TALLY_KEY_PID, .max_keys = 16, .max_stacks = 64, .max_stack = 16 }, 0);
}

static void rounds_of_many_keys_add_up(void **state)
{
	need_root(state);
	rounds_add_up(&(struct tally_opts){ .key = TALLY_KEY_COMM | TALLY_KEY_USTACK, .max_keys = 256, .max_stacks = 1024,
					      .max_stack = 16 }, 200);
}

static void rounds_of_a_full_table_add_up(void **state)
{
	need_root(state);
	rounds_add_up(&(struct tally_opts){ .key = TALLY_KEY_COMM, .max_keys = 1, .max_stacks = 65536, .max_stack = 16 }, 200);
}

/* Filters, and both ways */

static void what_the_filter_drops_is_not_counted(void **state)
{
	const struct tally_opts opts = { .key = TALLY_KEY_TID, .max_keys = 64, .max_stacks = 64, .max_stack = 16 };
	struct filter_table table = {
		.entry = { { .term = FILTER_TERM_TID, .cond = FILTER_EQ, .jt = FILTER_ACCEPT, .jf = FILTER_REJECT, .mask = ~0ULL,
			     .value = syscall(SYS_gettid) } },
		.nr = 1,
	};
	struct faulting other = { .nr_names = 0 };
	struct tally_counts counts;
	struct rows *rows;
	char *pages;
	struct run run;

	need_root(state);
	run = start_run(&opts, &table);
	pages = get_pages();
	assert_int_equal(pthread_create(&other.thread, NULL, keep_faulting, &other), 0);
	do
		counts = get_counts(&run);
	while (counts.dropped < 1000);
	fault(pages, NR_PAGES);
	other.stop = true;
	pthread_join(other.thread, NULL);
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	rows = collect(&run);
	counts = get_counts(&run);
	assert_int_equal(rows->nr, 1);
	assert_int_equal(rows->row[0].tid, syscall(SYS_gettid));
	assert_int_equal(rows->row[0].pid, 0); /* not asked for */
	assert_true(rows->count >= NR_PAGES);
	assert_int_equal(counts.seen, event_count(&run));
	assert_int_equal(counts.seen - counts.dropped, rows->count);
	free(rows);
	munmap(pages, NR_PAGES * PAGE);
	end_run(&run);
}

#define RING_PAGES 64

static void samples_may_go_both_ways(void **state)
{
	struct tally_opts opts = { .key = TALLY_KEY_PID, .max_keys = 64, .max_stacks = 64, .max_stack = 16 };
	const size_t record = sizeof(struct perf_event_header) + 3 * sizeof(u64); /* tid, time, period */
	struct perf_event_mmap_page *control;
	struct perf_event_attr attr = fault_attr();
	struct rows *rows;
	char *pages;
	struct run run;

	need_root(state);
	pages = get_pages();
	attr.inherit = 0;
	for (int both = 0; both <= 1; both++) {
		opts.both = both;
		run = load_run(tally__load, &opts, NULL, attr, 0);
		control = mmap(NULL, (1 + RING_PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, run.fd, 0);
		assert_true(control != MAP_FAILED);
		ioctl(run.fd, PERF_EVENT_IOC_ENABLE, 0);
		fault(pages, NR_PAGES);
		ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
		rows = collect(&run);
		assert_true(rows->count >= NR_PAGES);
		assert_int_equal(control->data_head, both ? rows->count * record : 0);
		free(rows);
		munmap(control, (1 + RING_PAGES) * PAGE);
		end_run(&run);
	}
	munmap(pages, NR_PAGES * PAGE);
}

/* What rows tell */

static void rows_tell_cpu_and_user(void **state)
{
	const struct tally_opts opts = { .key = TALLY_KEY_CPU | TALLY_KEY_UID, .max_keys = 64, .max_stacks = 64,
					   .max_stack = 16 };
	cpu_set_t before, one;
	struct rows *rows;
	struct run run;
	int cpu;

	need_root(state);
	cpu = sched_getcpu();
	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	run = start_run(&opts, NULL);
	fault_by_name(10);
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	sched_setaffinity(0, sizeof(before), &before);
	rows = collect(&run);
	assert_int_equal(rows->nr, 1);
	assert_int_equal(rows->row[0].cpu, cpu);
	assert_int_equal(rows->row[0].uid, getuid());
	assert_int_equal(rows->row[0].tid, 0);
	free(rows);
	end_run(&run);
}

/* Frames of functions that fault a known number of times */

static FRAMED void fault_70(volatile char *pages)
{
	fault(pages, 70);
}

static FRAMED void fault_30(volatile char *pages)
{
	fault(pages, 30);
}

struct shares {
	u64 in_70, in_30;
};

static bool is_in(u64 ip, const void *function)
{
	return ip > (uintptr_t)function && ip < (uintptr_t)function + SMALL;
}

static int add_share(void *data, const struct tally_row *row)
{
	struct shares *shares = data;

	for (u32 i = 0; i < row->nr_ustack; i++) {
		if (is_in(row->ustack[i], fault_70))
			shares->in_70 += row->count;
		if (is_in(row->ustack[i], fault_30))
			shares->in_30 += row->count;
	}
	assert_int_equal(row->nr_kstack, 0); /* page faults are the user's */
	return 0;
}

static void stacks_tell_who_called(void **state)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct shares shares = { 0 };
	struct errmsg err;
	char *pages;
	struct run run;

	need_root(state);
	pages = get_pages();
	run = start_run(&opts, NULL);
	for (int i = 0; i < 100; i++) {
		fault_70(pages);
		fault_30(pages);
	}
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(tally__collect(run.tally, add_share, &shares, &err), 0);
	assert_in_range(shares.in_70, 7000, 7100);
	assert_in_range(shares.in_30, 3000, 3100);
	munmap(pages, NR_PAGES * PAGE);
	end_run(&run);
}

static u64 thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/*
 * The loop is in each function itself: where a leaf function has no frame (arm64), its caller is missing from the chain.
 * Not always for the same time, as else rounds and samples would keep step.
 */
static FRAMED void spin(volatile u64 *x, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		(*x)++;
}

/* Both by the same code: the processor may run two loops that look alike at different speeds. */
static FRAMED void spin_70(volatile u64 *x, unsigned int times)
{
	spin(x, 700 * times);
	__asm__ volatile("" ::: "memory"); /* no tail call: this function is on the stack */
}

static FRAMED void spin_30(volatile u64 *x, unsigned int times)
{
	spin(x, 300 * times);
	__asm__ volatile("" ::: "memory");
}

static int add_spin(void *data, const struct tally_row *row)
{
	struct shares *shares = data;

	for (u32 i = 0; i < row->nr_ustack; i++) {
		if (is_in(row->ustack[i], spin_70))
			shares->in_70 += row->period;
		if (is_in(row->ustack[i], spin_30))
			shares->in_30 += row->period;
	}
	return 0;
}

/* On a busy machine many samples of the clock fall together, and a few hundred say too little. */
static bool has_samples(struct tally *tally, u64 nr)
{
	struct tally_counts counts;
	struct errmsg err;

	assert_int_equal(tally__counts(tally, &counts, &err), 0);
	return counts.counted >= nr;
}

static void spin_for(volatile u64 *x, u64 ns)
{
	const u64 begin = thread_ns();

	while (thread_ns() - begin < ns) {
		const unsigned int times = 5 + random() % 20;

		spin_70(x, times);
		spin_30(x, times);
	}
}

static void cpu_time_is_shared_as_it_was_spent(void **state)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct perf_event_attr attr = fault_attr();
	struct shares shares = { 0 };
	struct errmsg err;
	volatile u64 x = 0;
	struct run run;

	need_root(state);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = 99991; /* ns, and no multiple of anything */
	run = load_run(tally__load, &opts, NULL, attr, 0);
	ioctl(run.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned int i = 0; i < 300 && !has_samples(run.tally, 3000); i++)
		spin_for(&x, 200000000);
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(tally__collect(run.tally, add_spin, &shares, &err), 0);
	assert_in_range(100 * shares.in_70 / (shares.in_70 + shares.in_30), 64, 76);
	assert_true(shares.in_70 + shares.in_30 > 1000 * attr.sample_period);
	end_run(&run);
}

/* Where stacks begin */

struct beginnings {
	u64 in_kernel, in_user, elsewhere;
};

static int check_beginning(void *data, const struct tally_row *row)
{
	struct beginnings *b = data;
	bool kernel = row->cpumode == PERF_RECORD_MISC_KERNEL;
	const u64 *stack = kernel ? row->kstack : row->ustack;

	for (u32 i = 0; i < row->nr_kstack; i++)
		assert_true((s64)row->kstack[i] < 0 && row->kstack[i] < (u64)PERF_CONTEXT_MAX);
	for (u32 i = 0; i < row->nr_ustack; i++)
		assert_true((s64)row->ustack[i] >= 0);
	if (!kernel)
		assert_int_equal(row->nr_kstack, 0);
	if (!(kernel ? row->nr_kstack : row->nr_ustack) || stack[0] != row->ip)
		b->elsewhere += row->count;
	else if (kernel)
		b->in_kernel += row->count;
	else
		b->in_user += row->count;
	return 0;
}

static void stacks_begin_at(u64 more_type)
{
	struct tally_opts opts = TALLY_OPTS_INIT;
	struct perf_event_attr attr = fault_attr();
	struct beginnings b = { 0 };
	struct errmsg err;
	char *pages = get_pages();
	struct run run;
	u64 begin;

	opts.key |= TALLY_KEY_IP;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = 50000;
	run = load_run(tally__load, &opts, NULL, attr, more_type);
	ioctl(run.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (begin = thread_ns(); thread_ns() - begin < 200000000;) {
		volatile u64 x = 0;

		fault(pages, NR_PAGES); /* in the kernel for most of the time */
		spin_70(&x, 70);
	}
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(tally__collect(run.tally, check_beginning, &b, &err), 0);
	assert_true(b.in_kernel > 0 && b.in_user > 0);
	assert_int_equal(b.elsewhere, 0);
	assert_int_equal(get_counts(&run).lost_stacks, 0);
	munmap(pages, NR_PAGES * PAGE);
	end_run(&run);
}

static void stacks_begin_where_the_sample_hit(void **state)
{
	need_root(state);
	stacks_begin_at(0);
}

static void stacks_of_the_sample_s_own_callchain_are_the_same(void **state)
{
	need_root(state);
	stacks_begin_at(PERF_SAMPLE_CALLCHAIN);
}

/* Errors */

static int refuse_row(void *data, const struct tally_row *row)
{
	++*(int *)data;
	return -ECANCELED;
}

static void an_error_of_the_callback_is_handed_on(void **state)
{
	const struct tally_opts opts = { .key = TALLY_KEY_COMM, .max_keys = 64, .max_stacks = 64, .max_stack = 16 };
	struct errmsg err;
	struct rows *rows;
	struct run run;
	int nr = 0;

	need_root(state);
	run = start_run(&opts, NULL);
	fault_by_name(20);
	ioctl(run.fd, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(tally__collect(run.tally, refuse_row, &nr, &err), -ECANCELED);
	assert_int_equal(nr, 1);
	rows = collect(&run);
	assert_int_equal(rows->nr, 0);
	free(rows);
	end_run(&run);
}

static void options_out_of_range_are_refused(void **state)
{
	static const struct tally_opts wrong[] = {
		{ .max_keys = 0, .max_stacks = 1, .max_stack = 1 },
		{ .max_keys = UINT32_MAX, .max_stacks = 1, .max_stack = 1 },
		{ .max_keys = 1, .max_stacks = 0, .max_stack = 1 },
		{ .max_keys = 1, .max_stacks = UINT32_MAX, .max_stack = 1 },
		{ .max_keys = 1, .max_stacks = 1, .max_stack = 0 },
		{ .max_keys = 1, .max_stacks = 1, .max_stack = TALLY_MAX_STACK + 1 },
	};
	struct tally *tally;

	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct errmsg err = { "" };

		assert_int_equal(tally__load(&wrong[i], NULL, &tally, &err), -EINVAL);
		assert_true(*err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample_is_in_a_row),
		cmocka_unit_test(the_program_for_old_kernels_counts_as_well),
		cmocka_unit_test(keys_beyond_the_table_are_counted_one_by_one),
		cmocka_unit_test(a_full_table_and_ring_are_told),
		cmocka_unit_test(a_full_ring_is_told),
		cmocka_unit_test(rounds_of_one_key_add_up),
		cmocka_unit_test(rounds_of_many_keys_add_up),
		cmocka_unit_test(rounds_of_a_full_table_add_up),
		cmocka_unit_test(what_the_filter_drops_is_not_counted),
		cmocka_unit_test(samples_may_go_both_ways),
		cmocka_unit_test(rows_tell_cpu_and_user),
		cmocka_unit_test(stacks_tell_who_called),
		cmocka_unit_test(cpu_time_is_shared_as_it_was_spent),
		cmocka_unit_test(stacks_begin_where_the_sample_hit),
		cmocka_unit_test(stacks_of_the_sample_s_own_callchain_are_the_same),
		cmocka_unit_test(an_error_of_the_callback_is_handed_on),
		cmocka_unit_test(options_out_of_range_are_refused),
	};

	return cmocka_run_group_tests_name("source/tally", tests, NULL, NULL);
}
