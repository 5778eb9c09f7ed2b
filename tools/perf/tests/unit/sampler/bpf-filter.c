// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts of the filter programs, on page faults: the thread decides how many there are, and each is one sample. The
 * event counts them itself, accepted or not, and the ring holds the accepted ones, so every run checks the program's counts
 * against both.
 */
#include "util/sampler/bpf-filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "util/sampler/old-kernel.h"

/* The program that is tested: this kernel's, or the one for old kernels, which every kernel takes. */
static int (*load_filter)(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err) = bpf_filter__load;

static int use_old_program(void **state)
{
	load_filter = bpf_filter__load_old;
	return 0;
}

static int use_own_program(void **state)
{
	load_filter = bpf_filter__load;
	return 0;
}

static void need_prepared_samples(void)
{
	if (!old_kernel__is())
		return;
	print_message("skipped: Linux before 6.3\n");
	skip();
}

#define NR_PAGES 40
#define RING_PAGES 8
#define PAGE_SIZE 4096
#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |	\
		     PERF_SAMPLE_PERIOD | PERF_SAMPLE_CGROUP)

/* A record of the event below: the members stand in the order of their bits' description in perf_event.h. */
struct sample {
	struct perf_event_header header;
	u64 ip;
	u32 pid, tid;
	u64 time, addr, id, period, cgroup;
};

struct run {
	struct filter_counts counts;
	u64 events;	      /* page faults, as the event has counted them */
	u64 kept;	      /* samples in the ring */
	struct sample sample; /* the last of them */
	u64 id;		      /* the event's */
	char *memory;	      /* NR_PAGES pages that the workload touches */
};

static struct filter_entry test_of(u8 term, u8 cond, u64 value)
{
	return (struct filter_entry){ .term = term, .cond = cond, .jt = FILTER_ACCEPT, .jf = FILTER_REJECT, .mask = ~0ULL,
				      .value = value };
}

static struct filter_table table_of(struct filter_entry entry)
{
	return (struct filter_table){ .entry = { entry }, .nr = 1 };
}

static void open_run(struct run *run)
{
	memset(run, 0, sizeof(*run));
	run->memory = mmap(NULL, NR_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(run->memory, MAP_FAILED);
	assert_int_equal(madvise(run->memory, NR_PAGES * PAGE_SIZE, MADV_NOHUGEPAGE), 0);
}

static int open_marked_faults(struct run *run, pid_t tid, u64 sample_type, bool inherit, u64 mark)
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

static int open_faults(struct run *run, pid_t tid, u64 sample_type, bool inherit)
{
	return open_marked_faults(run, tid, sample_type, inherit, 0);
}

/* In a section of its own, so that the bounds of its code are known. */
extern const char __start_touch_text[], __stop_touch_text[];
static void __attribute__((noinline, section("touch_text"))) touch(volatile char *memory)
{
	for (int i = 0; i < NR_PAGES; i++)
		memory[i * PAGE_SIZE] = 1;
}

static void read_samples(struct run *run, const struct perf_event_mmap_page *ring)
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

static void check_counts(struct run *run, struct bpf_filter *filter)
{
	struct errmsg err;

	assert_int_equal(bpf_filter__counts(filter, 0, &run->counts, &err), 0);
	assert_true(run->events >= NR_PAGES);
	assert_int_equal(run->counts.seen, run->events);
	assert_int_equal(run->counts.seen - run->counts.dropped, run->kept);
}

/* Run work on the calling thread under the filter. */
static void run_filter(struct run *run, const struct filter_table *table, void (*work)(volatile char *memory))
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

static void close_run(struct run *run)
{
	munmap(run->memory, NR_PAGES * PAGE_SIZE);
}

/* How many of the events a table keeps: all, or none. */
static void check_verdict(const struct filter_table *table, bool accepts)
{
	struct run run;

	open_run(&run);
	run_filter(&run, table, touch);
	assert_int_equal(run.kept, accepts ? run.events : 0);
	close_run(&run);
}

static void check_entry(struct filter_entry entry, bool accepts)
{
	struct filter_table table = table_of(entry);

	check_verdict(&table, accepts);
}

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

/* A table that accepts lo <= term < hi. */
static struct filter_table range_of(u8 term, u64 lo, u64 hi)
{
	struct filter_table table = { .entry = { test_of(term, FILTER_GT | FILTER_EQ, lo), test_of(term, FILTER_LT, hi) },
				      .nr = 2 };

	table.entry[0].jt = 1;
	return table;
}

static void address_range_splits_samples(void **state)
{
	struct filter_table table;
	struct run run;

	open_run(&run);
	table = range_of(FILTER_TERM_ADDR, (uintptr_t)run.memory + 3 * PAGE_SIZE, (uintptr_t)run.memory + 10 * PAGE_SIZE);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, 7);
	assert_int_equal(run.sample.addr, (uintptr_t)run.memory + 9 * PAGE_SIZE);
	close_run(&run);
}

static void ip_in_a_function(void **state)
{
	struct filter_table table = range_of(FILTER_TERM_IP, (uintptr_t)__start_touch_text, (uintptr_t)__stop_touch_text);
	struct run run;

	open_run(&run);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, NR_PAGES);
	close_run(&run);

	table = range_of(FILTER_TERM_IP, (uintptr_t)__stop_touch_text, ~0ULL);
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, run.events - NR_PAGES);
	close_run(&run);
}

static u64 monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void kernel_touch(volatile char *memory);
static void build_glob(struct filter_glob *glob, const char *pattern);

static void parent_and_scheduling(void **state)
{
	pid_t child;
	int status;

	check_term(FILTER_TERM_PPID, getppid());
	check_entry(test_of(FILTER_TERM_IDLE, FILTER_EQ, 0), true); /* who faults is not idle */
	child = fork();
	if (!child) {
		check_term(FILTER_TERM_PPID, getppid());
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

static void stay_on_cpu(cpu_set_t *before)
{
	cpu_set_t one;

	assert_int_equal(sched_getaffinity(0, sizeof(*before), before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
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

static void set_of_addresses(void **state)
{
	struct filter_table table = table_of(test_of(FILTER_TERM_IP_SET, FILTER_EQ, 1));
	u64 start = (uintptr_t)__start_touch_text, stop = (uintptr_t)__stop_touch_text;
	struct run run;

	table.nr_sets = 2;
	table.nr_ranges = 10;
	table.entry[0].shift = 1;
	table.words.set[1] = (struct filter_set){ 1, 9 };
	for (u64 place = 0; place < 9; place++) { /* the function is in each place of the set once */
		for (u64 i = 0; i < 9; i++)
			table.words.range[1 + i] = (struct filter_range){ start + (i - place) * 4096,
									  stop - 1 + (i - place) * 4096 };
		open_run(&run);
		run_filter(&run, &table, touch);
		assert_int_equal(run.kept, NR_PAGES);
		close_run(&run);
	}
}

/* The file that the code of this test is in, by inode and by name; the kernel's code is in none. */
static void file_of_the_code(void **state)
{
	struct filter_table table = { .nr = 1 };
	char path[4096];
	struct stat st;
	struct run run;

	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_in_range(readlink("/proc/self/exe", memset(path, 0, sizeof(path)), sizeof(path) - 1), 1, sizeof(path) - 2);
	table.entry[0] = test_of(FILTER_TERM_FILE_INO, FILTER_EQ, st.st_ino);
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_in_range(run.kept, NR_PAGES, run.events);
	close_run(&run);
	open_run(&run);
	run_filter(&run, &table, kernel_touch);
	assert_in_range(run.kept, 0, run.events - NR_PAGES);
	close_run(&run);

	table.nr_names = table.nr_globs = 1;
	strncpy(table.words.name[0], strrchr(path, '/') + 1, FILTER_FILE_LEN - 1);
	table.entry[0] = test_of(FILTER_TERM_FILE_NAME, FILTER_EQ, 1);
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_in_range(run.kept, NR_PAGES, run.events);
	close_run(&run);
	build_glob(&table.words.glob[0], "b?f-fil*r");
	table.entry[0].term = FILTER_TERM_FILE_GLOB;
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_in_range(run.kept, NR_PAGES, run.events);
	close_run(&run);
	table.words.name[0][0]++;
	table.entry[0].term = FILTER_TERM_FILE_NAME;
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_in_range(run.kept, 0, run.events - NR_PAGES);
	close_run(&run);
}

/* The function's bytes are at its offset in the file; addresses are where the loader has put them. */
static void offset_in_the_file(void **state)
{
	struct filter_table table;
	unsigned long start = 0, end, offset = 0;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	u64 touch_at = (uintptr_t)__start_touch_text, size = __stop_touch_text - __start_touch_text;
	struct run run;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && touch_at >= start && touch_at < end)
			break;
	}
	fclose(maps);
	table = range_of(FILTER_TERM_FILE_OFFSET, touch_at - start + offset, touch_at - start + offset + size);
	open_run(&run);
	run_filter(&run, &table, touch);
	assert_int_equal(run.kept, NR_PAGES);
	close_run(&run);
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

/* The kernel touches the pages: read() writes to them. */
static void kernel_touch(volatile char *memory)
{
	int fd = open("/dev/zero", O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, (char *)memory, NR_PAGES * PAGE_SIZE), NR_PAGES * PAGE_SIZE);
	close(fd);
}

static void check_mode(void (*work)(volatile char *memory), u64 mode, u64 other)
{
	struct filter_table table = table_of(test_of(FILTER_TERM_MODE, FILTER_EQ, mode));
	struct run run;

	open_run(&run);
	run_filter(&run, &table, work);
	assert_in_range(run.kept, NR_PAGES, run.events);
	assert_int_equal(run.sample.header.misc & PERF_RECORD_MISC_CPUMODE_MASK, mode);
	close_run(&run);

	table = table_of(test_of(FILTER_TERM_MODE, FILTER_EQ, other));
	open_run(&run);
	run_filter(&run, &table, work);
	assert_in_range(run.kept, 0, run.events - NR_PAGES);
	if (run.kept)
		assert_int_equal(run.sample.header.misc & PERF_RECORD_MISC_CPUMODE_MASK, other);
	close_run(&run);
}

static void mode_is_the_records_cpumode(void **state)
{
	check_mode(touch, FILTER_MODE_USER, FILTER_MODE_KERNEL);
	check_mode(kernel_touch, FILTER_MODE_KERNEL, FILTER_MODE_USER);
}

static void set_comm(const char *name, __u64 words[2])
{
	assert_int_equal(prctl(PR_SET_NAME, name, 0, 0, 0), 0);
	memset(words, 0, FILTER_COMM_LEN);
	strncpy((char *)words, name, FILTER_COMM_LEN - 1);
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

/* The automaton of filter.h for '*', '?' and plain bytes. */
static void build_glob(struct filter_glob *glob, const char *pattern)
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

/* An event whose samples carry the instruction pointer only. */
static void what_a_sample_lacks_reads_as_zero(void **state)
{
	static const u8 terms[] = { FILTER_TERM_TID, FILTER_TERM_PID, FILTER_TERM_TIME, FILTER_TERM_ID, FILTER_TERM_WEIGHT,
				    FILTER_TERM_TXN, FILTER_TERM_PHYS_ADDR, FILTER_TERM_CODE_PGSZ, FILTER_TERM_DATA_PGSZ,
				    FILTER_TERM_DATA_SRC };

	need_prepared_samples();
	for (unsigned int i = 0; i < ARRAY_SIZE(terms); i++) {
		struct filter_table table = table_of(test_of(terms[i], FILTER_EQ, 0));
		struct bpf_filter *filter;
		struct run run;
		int fd;

		open_run(&run);
		fd = open_faults(&run, 0, PERF_SAMPLE_IP, false);
		assert_int_equal(load_filter(&table, 1, &filter, NULL), 0);
		assert_int_equal(bpf_filter__attach(filter, fd, NULL), 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		touch(run.memory);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		assert_int_equal(bpf_filter__counts(filter, 0, &run.counts, NULL), 0);
		assert_true(run.counts.seen >= NR_PAGES);
		assert_int_equal(run.counts.dropped, 0);
		close(fd);
		bpf_filter__delete(filter);
		close_run(&run);
	}
}

struct thread {
	pthread_barrier_t barrier;
	pid_t tid;
	struct run run;
};

static void *touch_in_thread(void *arg)
{
	struct thread *thread = arg;

	thread->tid = gettid();
	pthread_barrier_wait(&thread->barrier); /* tid is known */
	pthread_barrier_wait(&thread->barrier); /* the event is open */
	touch(thread->run.memory);
	pthread_barrier_wait(&thread->barrier); /* its faults are done */
	return NULL;
}

/* One program on the events of two threads: it keeps the samples of one, and counts those of both. */
static void keeps_one_of_two_threads(void **state)
{
	struct filter_table table;
	struct bpf_filter *filter;
	struct filter_counts counts;
	struct thread thread;
	u64 events[2];
	pthread_t pthread;
	struct run run;
	int fds[2];

	open_run(&run);
	open_run(&thread.run);
	assert_int_equal(pthread_barrier_init(&thread.barrier, NULL, 2), 0);
	assert_int_equal(pthread_create(&pthread, NULL, touch_in_thread, &thread), 0);
	pthread_barrier_wait(&thread.barrier);
	table = table_of(test_of(FILTER_TERM_TID, FILTER_EQ, thread.tid));
	assert_int_equal(load_filter(&table, 1, &filter, NULL), 0);
	fds[0] = open_faults(&run, 0, SAMPLE_TYPE, false);
	fds[1] = open_faults(&run, thread.tid, SAMPLE_TYPE, false);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(bpf_filter__attach(filter, fds[i], NULL), 0);
		ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0);
	}
	touch(run.memory);
	pthread_barrier_wait(&thread.barrier);
	pthread_barrier_wait(&thread.barrier);
	for (int i = 0; i < 2; i++) {
		ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
		assert_int_equal(read(fds[i], &events[i], sizeof(u64)), sizeof(u64));
		assert_true(events[i] >= NR_PAGES);
		close(fds[i]);
	}
	pthread_join(pthread, NULL);
	assert_int_equal(bpf_filter__counts(filter, 0, &counts, NULL), 0);
	assert_int_equal(counts.seen, events[0] + events[1]);
	assert_int_equal(counts.dropped, events[0]);
	bpf_filter__delete(filter);
	pthread_barrier_destroy(&thread.barrier);
	close_run(&thread.run);
	close_run(&run);
}

/* A child inherits the event and with it the filter, which accepts the child's samples only. */
static void inherited_events_are_filtered(void **state)
{
	struct filter_table table = table_of(test_of(FILTER_TERM_PID, FILTER_LT | FILTER_GT, getpid()));
	struct bpf_filter *filter;
	struct run run;
	pid_t child;
	int fd;

	open_run(&run);
	assert_int_equal(load_filter(&table, 1, &filter, NULL), 0);
	fd = open_faults(&run, 0, SAMPLE_TYPE, true);
	assert_int_equal(bpf_filter__attach(filter, fd, NULL), 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	child = fork();
	if (!child) {
		touch(run.memory);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(read(fd, &run.events, sizeof(run.events)), sizeof(run.events));
	assert_int_equal(bpf_filter__counts(filter, 0, &run.counts, NULL), 0);
	assert_int_equal(run.counts.seen, run.events);
	assert_true(run.counts.seen - run.counts.dropped >= NR_PAGES);
	close(fd);
	bpf_filter__delete(filter);
	close_run(&run);
}

static void touch_in_child(struct run *run)
{
	pid_t child = fork();

	if (!child) {
		touch(run->memory);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* Two events with one program, which have been seen to by different numbers of faults; the second one's are a child's, too. */
static void one_program_counts_two_events(int (*load)(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter,
						      struct errmsg *err))
{
	struct filter_table table = table_of(test_of(FILTER_TERM_EVERY, FILTER_EQ, 1));
	struct filter_hits hits[FILTER_MAX_ENTRIES];
	struct filter_counts counts;
	struct bpf_filter *filter;
	struct run run[2];
	cpu_set_t before;
	int fd[2];

	table.nr_everys = 1;
	table.words.every[0] = 3;
	stay_on_cpu(&before);
	assert_int_equal(load(&table, 2, &filter, NULL), 0);
	assert_int_equal(bpf_filter__nr_events(filter), 2);
	for (int i = 0; i < 2; i++) {
		open_run(&run[i]);
		fd[i] = open_marked_faults(&run[i], 0, SAMPLE_TYPE, true, i);
		assert_int_equal(bpf_filter__attach(filter, fd[i], NULL), 0);
		assert_int_equal(ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0), 0);
	}
	touch(run[0].memory);
	assert_int_equal(ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0), 0);
	touch_in_child(&run[1]);
	assert_int_equal(ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(read(fd[i], &run[i].events, sizeof(u64)), sizeof(u64));
		assert_int_equal(bpf_filter__counts(filter, i, &counts, NULL), 0);
		assert_int_equal(counts.seen, run[i].events);
		assert_int_equal(counts.seen - counts.dropped, run[i].events / 3);
		if (!bpf_filter__hits(filter, i, hits, NULL)) {
			assert_int_equal(hits[0].runs, run[i].events);
			assert_int_equal(hits[0].taken, run[i].events / 3);
		}
		close(fd[i]);
	}
	assert_true(run[0].events >= NR_PAGES);
	assert_true(run[1].events >= run[0].events + NR_PAGES);
	bpf_filter__delete(filter);
	close_run(&run[1]);
	close_run(&run[0]);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static void equal_filters_share_a_program(void **state)
{
	need_prepared_samples();
	one_program_counts_two_events(bpf_filter__load);
	one_program_counts_two_events(bpf_filter__load_explaining);
}

static void old_program_is_not_shared(void **state)
{
	struct filter_table table = table_of(test_of(FILTER_TERM_TID, FILTER_GT, 0));
	struct bpf_filter *filter;

	assert_int_equal(bpf_filter__load_old(&table, 2, &filter, NULL), 0);
	assert_int_equal(bpf_filter__nr_events(filter), 1);
	bpf_filter__delete(filter);
}

static const unsigned int sizes[] = { 1, 2, 15, 16, 17, 31, 32, 33, 63, 64 };

/* nr alternatives of which the last one is true. */
static void last_entry_decides(void **state)
{
	struct filter_table table;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(&table, 0, sizeof(table));
		table.nr = sizes[i];
		for (unsigned int e = 0; e < table.nr; e++) {
			table.entry[e] = test_of(FILTER_TERM_TID, FILTER_EQ, gettid() + table.nr - 1 - e);
			table.entry[e].jf = e == table.nr - 1 ? FILTER_REJECT : e + 1;
		}
		check_verdict(&table, true);
		table.entry[table.nr - 1].value--;
		check_verdict(&table, false);
	}
}

/* The loader saves fetching a field again: entry 2 is reached from entries that have fetched two different ones. */
static void entry_reached_with_two_fields(void **state)
{
	struct filter_table table = {
		.entry = { test_of(FILTER_TERM_TID, FILTER_EQ, gettid()), test_of(FILTER_TERM_PERIOD, FILTER_GT, 0),
			   test_of(FILTER_TERM_PERIOD, FILTER_EQ, 1) },
		.nr = 3,
	};

	assert_int_not_equal(gettid(), 1);
	table.entry[1].jt = table.entry[1].jf = 2;
	for (int equal = 0; equal < 2; equal++) {
		table.entry[0].jt = 1 + equal;
		table.entry[0].jf = 2 - equal;
		check_verdict(&table, true);
	}
}

/* A glob's outcome is not a field, and two globs are two terms. */
static void globs_in_a_row(void **state)
{
	struct filter_table table = { .nr = 3, .nr_globs = 2 };
	__u64 words[2];

	set_comm("name", words);
	build_glob(&table.words.glob[0], "*x");
	build_glob(&table.words.glob[1], "n*");
	for (unsigned int i = 0; i < 3; i++) {
		table.entry[i] = test_of(FILTER_TERM_COMM_GLOB, FILTER_EQ, i % 2);
		table.entry[i].shift = i % 2;
		table.entry[i].mask = 1;
		table.entry[i].jt = i == 2 ? FILTER_ACCEPT : i + 1;
	}
	check_verdict(&table, true);
	table.entry[2].shift = 1;
	check_verdict(&table, false);
}

/* Values that stay the same in all samples of this process, for tables that user space can judge too. */
static void fill_sample(struct filter_sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	sample->sample_flags = SAMPLE_TYPE;
	sample->value[FILTER_TERM_TID] = gettid();
	sample->value[FILTER_TERM_PID] = getpid();
	sample->value[FILTER_TERM_PERIOD] = 1;
	sample->value[FILTER_TERM_UID] = getuid();
	sample->value[FILTER_TERM_GID] = getgid();
	set_comm("random-tables", &sample->value[FILTER_TERM_COMM_LO]);
}

static u8 random_target(unsigned int from, unsigned int nr)
{
	switch (rand() % (nr + 4)) { /* so that long tables are not left soon */
	case 0:
		return FILTER_REJECT;
	case 1:
		return FILTER_ACCEPT;
	case 2:
		return from + 1 + rand() % (nr - from);
	default:
		return from + 1;
	}
}

/* Every entry's outcome and way on are drawn; what would leave the table is a verdict. */
static void draw_table(struct filter_table *table, unsigned int nr, const struct filter_sample *sample)
{
	static const u8 terms[] = { FILTER_TERM_TID, FILTER_TERM_PID, FILTER_TERM_PERIOD, FILTER_TERM_UID, FILTER_TERM_GID,
				    FILTER_TERM_COMM_LO, FILTER_TERM_COMM_HI, FILTER_TERM_COMM_GLOB };

	memset(table, 0, sizeof(*table));
	table->nr = nr;
	table->nr_globs = 2;
	build_glob(&table->words.glob[0], "rand*b?es");
	build_glob(&table->words.glob[1], "rand*x?es");
	for (unsigned int i = 0; i < nr; i++) {
		u8 term = terms[rand() % ARRAY_SIZE(terms)];
		struct filter_entry *e = &table->entry[i];

		if (term == FILTER_TERM_COMM_GLOB) {
			*e = test_of(term, rand() % 8, rand() % 2);
			e->shift = rand() % 2;
			e->mask = 1;
		} else {
			*e = test_of(term, rand() % 8, sample->value[term] + rand() % 3 - 1);
		}
		e->jt = random_target(i, nr);
		e->jf = random_target(i, nr);
		if (e->jt == nr)
			e->jt = FILTER_ACCEPT;
		if (e->jf == nr)
			e->jf = FILTER_REJECT;
	}
}

static void random_tables_agree_with_user_space(void **state)
{
	struct filter_sample sample;
	struct filter_table table;
	unsigned int seed = time(NULL), accepted = 0, runs = 0;

	print_message("seed %u\n", seed);
	srand(seed);
	fill_sample(&sample);
	for (int round = 0; round < 8; round++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
			draw_table(&table, sizes[i], &sample);
			check_verdict(&table, filter_table__eval(&table, &sample));
			accepted += filter_table__eval(&table, &sample);
			runs++;
		}
	}
	assert_in_range(accepted, 1, runs - 1);
}

#define old_unit_test(f) { #f "_old", f, use_old_program, use_own_program, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_of_thread_and_process),
		cmocka_unit_test(ids_of_user_and_group),
		cmocka_unit_test(cpu),
		cmocka_unit_test(period_and_cgroup),
		cmocka_unit_test(address_range_splits_samples),
		cmocka_unit_test(ip_in_a_function),
		cmocka_unit_test(time_range),
		cmocka_unit_test(parent_and_scheduling),
		cmocka_unit_test(subtree_of_cgroups),
		cmocka_unit_test(every_third),
		cmocka_unit_test(random_part),
		cmocka_unit_test(set_of_addresses),
		cmocka_unit_test(file_of_the_code),
		cmocka_unit_test(offset_in_the_file),
		cmocka_unit_test(id_of_the_event),
		cmocka_unit_test(mode_is_the_records_cpumode),
		cmocka_unit_test(comm_equality_and_prefix),
		cmocka_unit_test(comm_globs),
		cmocka_unit_test(what_a_sample_lacks_reads_as_zero),
		cmocka_unit_test(keeps_one_of_two_threads),
		cmocka_unit_test(inherited_events_are_filtered),
		cmocka_unit_test(equal_filters_share_a_program),
		cmocka_unit_test(last_entry_decides),
		cmocka_unit_test(entry_reached_with_two_fields),
		cmocka_unit_test(globs_in_a_row),
		cmocka_unit_test(random_tables_agree_with_user_space),
		old_unit_test(ids_of_thread_and_process),
		old_unit_test(ids_of_user_and_group),
		old_unit_test(cpu),
		old_unit_test(period_and_cgroup),
		old_unit_test(address_range_splits_samples),
		old_unit_test(ip_in_a_function),
		old_unit_test(parent_and_scheduling),
		old_unit_test(subtree_of_cgroups),
		old_unit_test(every_third),
		old_unit_test(random_part),
		old_unit_test(set_of_addresses),
		old_unit_test(file_of_the_code),
		old_unit_test(offset_in_the_file),
		old_unit_test(mode_is_the_records_cpumode),
		old_unit_test(comm_equality_and_prefix),
		old_unit_test(comm_globs),
		old_unit_test(keeps_one_of_two_threads),
		old_unit_test(inherited_events_are_filtered),
		old_unit_test(old_program_is_not_shared),
		old_unit_test(last_entry_decides),
		old_unit_test(entry_reached_with_two_fields),
		old_unit_test(globs_in_a_row),
		old_unit_test(random_tables_agree_with_user_space),
	};

	return cmocka_run_group_tests_name("bpf-filter", tests, NULL, NULL);
}
