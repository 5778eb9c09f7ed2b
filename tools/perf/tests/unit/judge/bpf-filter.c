// SPDX-License-Identifier: GPL-2.0
/* What filter programs make of tables of any shape, and whose events they filter */
#include "tests/unit/judge/fault-run.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

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

	need_ids();
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

	need_ids();
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

static int load_explaining(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err)
{
	return bpf_filter__load_explaining(table, nr_events, NULL, filter, err);
}

static void equal_filters_share_a_program(void **state)
{
	need_prepared_samples();
	one_program_counts_two_events(bpf_filter__load);
	one_program_counts_two_events(load_explaining);
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

	need_ids();
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

	need_ids();
	if (gettid() == 1) {
		print_message("skipped: the first task of a pid namespace has the id that the period is, too\n");
		skip();
	}
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

	need_ids();
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_sample_lacks_reads_as_zero),
		cmocka_unit_test(keeps_one_of_two_threads),
		cmocka_unit_test(inherited_events_are_filtered),
		cmocka_unit_test(equal_filters_share_a_program),
		cmocka_unit_test(last_entry_decides),
		cmocka_unit_test(entry_reached_with_two_fields),
		cmocka_unit_test(globs_in_a_row),
		cmocka_unit_test(random_tables_agree_with_user_space),
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
