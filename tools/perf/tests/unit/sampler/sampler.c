// SPDX-License-Identifier: GPL-2.0
/* Events on threads of the test itself. */
#include "util/sampler/sampler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static struct evlist *make_evlist(const char *spec, const char *filter)
{
	struct evlist *evlist = evlist__new();
	struct errmsg err;
	unsigned int i;

	assert_non_null(evlist);
	assert_int_equal(evlist__parse(evlist, spec, &i, &err), 0);
	for (i = 0; i < evlist->nr; i++) {
		struct perf_event_attr *attr = &evlist->evsel[i]->attr;

		if (filter)
			assert_int_equal(evsel__add_filter(evlist->evsel[i], "filter", filter, &err), 0);
		attr->size = sizeof(*attr);
		attr->sample_period = 100000; /* ns for cpu-clock */
		attr->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID;
		attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
		attr->disabled = 1;
		attr->inherit = 1;
	}
	return evlist;
}

/* Take this thread's CPU for a while that is certain to hold samples. */
static void burn(void)
{
	struct timespec now;
	long start;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	for (start = now.tv_sec * 1000 + now.tv_nsec / 1000000; now.tv_sec * 1000 + now.tv_nsec / 1000000 - start < 20;)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

struct drained {
	u64 samples, of_tid[2];
	pid_t tid;
};

static int count_samples(void *data, const void *records, size_t size)
{
	struct drained *drained = data;
	const char *at = records;

	for (; size; size -= ((const struct perf_event_header *)at)->size, at += ((const struct perf_event_header *)at)->size) {
		const struct {
			struct perf_event_header header;
			u64 id;
			u32 pid, tid;
		} *r = (const void *)at;

		if (r->header.type != PERF_RECORD_SAMPLE)
			continue;
		drained->samples++;
		drained->of_tid[r->tid == (u32)drained->tid]++;
	}
	return 0;
}

static struct sampler *open_self(struct evlist *evlist, const struct sampler_opts *opts)
{
	pid_t tid = syscall(SYS_gettid);
	struct sampler_target target = { .tids = &tid, .nr_tids = 1, .inherit = true };
	struct errmsg err = { "" };
	struct sampler *s;

	if (sampler__new(evlist, &s, &err) || sampler__open(s, &target, opts, &err))
		fail_msg("%s", err.text);
	return s;
}

static void samples_of_two_events_share_rings(void **state)
{
	struct evlist *evlist = make_evlist("cpu-clock:u,task-clock:u", NULL);
	struct sampler *s = open_self(evlist, &(struct sampler_opts){ .mmap_pages = 16 });
	struct drained drained = { 0 };
	struct sampler_counts counts;
	const u64 *ids0, *ids1;
	struct errmsg err;
	u32 nr0, nr1;

	ids0 = sampler__ids(s, 0, &nr0);
	ids1 = sampler__ids(s, 1, &nr1);
	assert_true(nr0 > 0 && nr0 == nr1 && ids0[0] && ids0[0] != ids1[0]);
	burn();
	assert_int_equal(sampler__drain(s, count_samples, &drained, NULL), 0);
	assert_int_equal(drained.samples, 0); /* not enabled yet */
	assert_int_equal(sampler__enable(s, &err), 0);
	burn();
	assert_int_equal(sampler__disable(s), 0);
	assert_int_equal(sampler__drain(s, count_samples, &drained, NULL), 0);
	assert_true(drained.samples > 0);
	assert_int_equal(sampler__counts(s, 0, &counts, &err), 0);
	assert_false(counts.filtered);
	assert_int_equal(counts.lost, 0);
	assert_false(sampler__all_hung_up(s));
	sampler__delete(s);
	evlist__delete(evlist);
}

static void a_small_ring_tells_what_it_lost(void **state)
{
	struct evlist *evlist = make_evlist("cpu-clock", NULL);
	struct drained drained = { 0 };
	struct sampler_counts counts;
	struct errmsg err;
	struct sampler *s;

	evlist->evsel[0]->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	evlist->evsel[0]->attr.sample_period = 50000;
	s = open_self(evlist, &(struct sampler_opts){ .mmap_pages = 1 });
	sampler__enable(s, &err);
	burn();
	burn();
	sampler__disable(s);
	assert_int_equal(sampler__drain(s, count_samples, &drained, NULL), 0);
	assert_int_equal(sampler__counts(s, 0, &counts, &err), 0);
	assert_true(drained.samples > 0);
	if (counts.lost_known)
		assert_true(counts.lost > 0);
	sampler__delete(s);
	evlist__delete(evlist);
}

static int add_to_sum(void *data, const struct tally_row *row)
{
	*(u64 *)data += row->count;
	return 0;
}

static void samples_are_counted_instead_of_written(void **state)
{
	const struct tally_opts opts = { .key = TALLY_KEY_TID | TALLY_KEY_USTACK, .max_keys = 64, .max_stacks = 64,
					   .max_stack = 8 };
	const struct sampler_scope scope = { .count = &opts };
	pid_t tid = syscall(SYS_gettid);
	struct sampler_target target = { .tids = &tid, .nr_tids = 1, .inherit = true };
	struct evlist *evlist = make_evlist("cpu-clock,task-clock", NULL);
	struct tally_counts counted;
	struct sampler_counts counts;
	struct drained drained = { 0 };
	struct errmsg err = { "" };
	struct sampler *s;
	u64 sum;

	if (geteuid()) /* loading a BPF program */
		skip();
	if (sampler__new_scoped(evlist, &scope, &s, &err) || sampler__open(s, &target, &(struct sampler_opts){ 0 }, &err))
		fail_msg("%s", err.text);
	assert_false(evlist->evsel[0]->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_int_equal(sampler__enable(s, &err), 0);
	burn();
	assert_int_equal(sampler__disable(s), 0);
	assert_int_equal(sampler__drain(s, count_samples, &drained, NULL), 0);
	assert_int_equal(drained.samples, 0);
	for (unsigned int i = 0; i < evlist->nr; i++) {
		sum = 0;
		assert_int_equal(sampler__collect(s, i, add_to_sum, &sum, &err), 0);
		assert_int_equal(sampler__tally_counts(s, i, &counted, &err), 0);
		assert_int_equal(sampler__counts(s, i, &counts, &err), 0);
		assert_true(sum > 0);
		assert_int_equal(counted.counted, sum);
		assert_int_equal(counts.seen, sum);
	}
	sampler__delete(s);
	evlist__delete(evlist);
}

static void only_what_is_counted_is_collected(void **state)
{
	struct evlist *evlist = make_evlist("cpu-clock", NULL);
	struct tally_counts counted;
	struct errmsg err = { "" };
	struct sampler *s;
	u64 sum;

	assert_int_equal(sampler__new(evlist, &s, &err), 0);
	assert_int_equal(sampler__collect(s, 0, add_to_sum, &sum, &err), -EINVAL);
	assert_int_equal(sampler__tally_counts(s, 0, &counted, &err), -EINVAL);
	sampler__delete(s);
	evlist__delete(evlist);
}

static void *burn_in_thread(void *arg)
{
	*(pid_t *)arg = syscall(SYS_gettid);
	burn();
	return NULL;
}

static void inherited_threads_are_filtered_too(void **state)
{
	pid_t self = syscall(SYS_gettid), other;
	struct sampler_counts counts;
	struct drained drained = { .tid = self };
	char filter[32];
	struct evlist *evlist;
	struct errmsg err;
	struct sampler *s;
	pthread_t thread;

	if (geteuid()) /* loading a BPF program */
		skip();
	snprintf(filter, sizeof(filter), "tid == %d", self);
	evlist = make_evlist("cpu-clock", filter);
	s = open_self(evlist, &(struct sampler_opts){ .mmap_pages = 16 });
	sampler__enable(s, &err);
	assert_int_equal(pthread_create(&thread, NULL, burn_in_thread, &other), 0);
	burn();
	pthread_join(thread, NULL);
	sampler__disable(s);
	assert_int_equal(sampler__drain(s, count_samples, &drained, NULL), 0);
	if (sampler__counts(s, 0, &counts, &err))
		fail_msg("%s", err.text);
	assert_true(counts.filtered);
	assert_true(drained.of_tid[true] > 0 && drained.of_tid[false] == 0);
	assert_true(counts.dropped > 0);
	assert_int_equal(counts.seen - counts.dropped, drained.samples + counts.lost);
	sampler__delete(s);
	evlist__delete(evlist);
}

static void the_end_of_the_target_wakes(void **state)
{
	struct evlist *evlist = make_evlist("cpu-clock", NULL);
	struct sampler_target target = { .nr_tids = 1, .inherit = true };
	struct sampler_opts opts = { .mmap_pages = 1 };
	struct pollfd pfd = { .events = POLLIN };
	struct errmsg err = { "" };
	struct sampler *s;
	int pipefd[2];
	pid_t child;
	char c;

	assert_int_equal(pipe(pipefd), 0);
	child = fork();
	if (!child) {
		close(pipefd[1]);
		_exit(read(pipefd[0], &c, 1)); /* lives until the pipe is closed */
	}
	target.tids = &child;
	assert_int_equal(sampler__new(evlist, &s, &err), 0);
	if (sampler__open(s, &target, &opts, &err))
		fail_msg("%s", err.text);
	sampler__enable(s, &err);
	assert_false(sampler__all_hung_up(s));
	close(pipefd[0]);
	close(pipefd[1]);
	pfd.fd = sampler__epoll_fd(s);
	while (!sampler__all_hung_up(s))
		assert_int_equal(poll(&pfd, 1, 200000), 1);
	assert_int_equal(poll(&pfd, 1, 0), 0); /* what has hung up does not wake again */
	assert_int_equal(waitpid(child, NULL, 0), child);
	sampler__delete(s);

	/* And now it does not exist any more. */
	assert_int_equal(sampler__new(evlist, &s, &err), 0);
	assert_int_equal(sampler__open(s, &target, &opts, &err), -ESRCH);
	assert_non_null(strstr(err.text, "ended"));
	sampler__delete(s);
	evlist__delete(evlist);
}

/* Forks again and again, on one CPU; *forks tells how often. */
static pid_t start_forking(volatile unsigned int *forks)
{
	pid_t child = fork();
	cpu_set_t cpus;

	if (child)
		return child;
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		child = fork();
		if (child <= 0)
			_exit(child);
		waitpid(child, NULL, 0);
		++*forks;
	}
}

static u64 samples_of_forks(struct sampler *s, volatile unsigned int *forks, unsigned int nr)
{
	struct drained drained = { 0 };

	for (unsigned int end = *forks + nr; (int)(end - *forks) > 0;)
		sched_yield();
	assert_int_equal(sampler__drain(s, count_samples, &drained, NULL), 0);
	return drained.samples;
}

/* A fork that is under way when events are switched must not bring back what they were before. */
static void who_forks_is_switched_too(void **state)
{
	struct evlist *evlist = make_evlist("page-faults", NULL);
	volatile unsigned int *forks = mmap(NULL, sizeof(*forks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = start_forking(forks);
	struct sampler_target target = { .tids = &child, .nr_tids = 1, .inherit = true };
	struct errmsg err = { "" };
	struct sampler *s;

	evlist->evsel[0]->attr.sample_period = 1;
	if (sampler__new(evlist, &s, &err) || sampler__open(s, &target, &(struct sampler_opts){ .mmap_pages = 16 }, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < 300; i++) {
		assert_int_equal(sampler__enable(s, &err), 0);
		assert_true(samples_of_forks(s, forks, 4) > 0);
		assert_int_equal(sampler__pause(s), 0);
		samples_of_forks(s, forks, 0);
		assert_int_equal(samples_of_forks(s, forks, 4), 0);
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	munmap((void *)forks, sizeof(*forks));
	sampler__delete(s);
	evlist__delete(evlist);
}

static void take_note(void *data, const char *text)
{
	snprintf(data, 256, "%s", text);
}

static void cycles_fall_back_where_there_is_no_pmu(void **state)
{
	struct perf_event_attr hw = { .type = PERF_TYPE_HARDWARE, .size = sizeof(hw), .exclude_kernel = 1 };
	int fd = syscall(SYS_perf_event_open, &hw, 0, -1, -1, 0UL);
	char note[256] = "";
	struct evlist *evlist;
	struct sampler *s;

	if (fd >= 0) {
		close(fd);
		skip();
	}
	evlist = make_evlist("cycles:u", NULL);
	s = open_self(evlist, &(struct sampler_opts){ .mmap_pages = 1, .note = take_note, .note_data = note });
	assert_string_equal(evlist->evsel[0]->name, "cpu-clock:u");
	assert_int_equal(evlist->evsel[0]->attr.type, PERF_TYPE_SOFTWARE);
	assert_true(evlist->evsel[0]->attr.exclude_kernel);
	assert_non_null(strstr(note, "cycles:u"));
	assert_non_null(strstr(note, "cpu-clock:u"));
	sampler__delete(s);
	evlist__delete(evlist);

	/* Others have no stand-in. */
	evlist = make_evlist("instructions:u", NULL);
	assert_int_equal(sampler__new(evlist, &s, NULL), 0);
	assert_true(sampler__open(s, &(struct sampler_target){ .tids = (pid_t[]){ getpid() }, .nr_tids = 1 },
				  &(struct sampler_opts){ 0 }, NULL) < 0);
	sampler__delete(s);
	evlist__delete(evlist);
}

static void wrong_set_ups_are_explained(void **state)
{
	struct evlist *evlist = make_evlist("cpu-clock", NULL), *filtered = make_evlist("cpu-clock", "tid ==");
	struct cpumap *cpus = cpumap__parse("9999", NULL);
	struct sampler_target target = { .system_wide = true, .cpus = cpus };
	struct errmsg err = { "" };
	struct sampler *s;

	assert_int_equal(sampler__new(filtered, &s, &err), -EINVAL);
	assert_non_null(strstr(err.text, "tid =="));
	assert_int_equal(sampler__new(evlist, &s, &err), 0);
	assert_int_equal(sampler__open(s, &target, &(struct sampler_opts){ 0 }, &err), -ENODEV);
	assert_non_null(strstr(err.text, "9999"));
	sampler__delete(s);
	free(cpus);
	evlist__delete(evlist);
	evlist__delete(filtered);
}

static void a_filter_brings_its_sample_bits(void **state)
{
	struct evlist *evlist = make_evlist("cpu-clock", "cpu == 0 && addr != 1");
	struct sampler *s;

	assert_int_equal(sampler__new(evlist, &s, NULL), 0);
	assert_true(evlist->evsel[0]->attr.sample_type & PERF_SAMPLE_ADDR);
	sampler__delete(s);
	evlist__delete(evlist);
}

struct known_ids {
	struct sampler *s;
	u64 samples, unknown;
};

static bool is_known(struct sampler *s, u64 id)
{
	for (unsigned int event = 0; event < 2; event++) {
		const u64 *ids;
		u32 nr;

		ids = sampler__ids(s, event, &nr);
		for (u32 i = 0; i < nr; i++) {
			if (ids[i] == id)
				return true;
		}
	}
	return false;
}

/* Samples begin with their id, and have it after the number of the group's events and the first count, too; others end with it. */
static int check_ids(void *data, const void *records, size_t size)
{
	struct known_ids *known = data;
	const char *at = records;

	for (; size; size -= ((const struct perf_event_header *)at)->size, at += ((const struct perf_event_header *)at)->size) {
		const struct perf_event_header *header = (const void *)at;
		const u64 *body = (const u64 *)(header + 1), *end = (const u64 *)(at + header->size);
		const bool is_sample = header->type == PERF_RECORD_SAMPLE;

		known->samples += is_sample;
		known->unknown += !is_known(known->s, is_sample ? body[0] : end[-1]) || (is_sample && !is_known(known->s, body[4]));
	}
	return 0;
}

static struct evlist *make_group(const char *spec)
{
	struct evlist *evlist = make_evlist(spec, NULL);

	for (unsigned int i = 0; i < evlist->nr; i++) {
		struct perf_event_attr *attr = &evlist->evsel[i]->attr;

		attr->inherit = 0;
		attr->disabled = !i;
		attr->sample_id_all = attr->mmap2 = attr->mmap = 1;
		attr->sample_type |= PERF_SAMPLE_READ;
		attr->read_format |= PERF_FORMAT_GROUP;
	}
	return evlist;
}

/* Of a CPU that is online, too: samples go on, and the recording knows their ids. */
static void samples_go_on_where_a_cpu_is_opened_again(void **state)
{
	const struct sampler_target target = { .system_wide = true };
	struct known_ids known = { 0 };
	struct sampler_counts counts;
	struct evlist *evlist;
	struct errmsg err;
	cpu_set_t here;
	u64 before;

	if (geteuid())
		skip();
	CPU_ZERO(&here);
	CPU_SET(0, &here);
	assert_int_equal(sched_setaffinity(0, sizeof(here), &here), 0);
	evlist = make_group("{task-clock,page-faults}");
	if (sampler__new(evlist, &known.s, &err) || sampler__open(known.s, &target, &(struct sampler_opts){ .mmap_pages = 64 }, &err) ||
	    sampler__enable(known.s, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < 3; i++) {
		before = known.samples;
		burn();
		free(malloc(1 << 20));
		assert_int_equal(sampler__drain(known.s, check_ids, &known, NULL), 0);
		assert_true(known.samples > before);
		assert_int_equal(known.unknown, 0);
		if (sampler__reopen_cpu(known.s, 0, &err) != 1)
			fail_msg("%s", err.text);
	}
	assert_int_equal(sampler__reopen_cpu(known.s, 100000, &err), 0);
	assert_int_equal(sampler__disable(known.s), 0);
	assert_int_equal(sampler__counts(known.s, 0, &counts, &err), 0);
	sampler__delete(known.s);
	evlist__delete(evlist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_two_events_share_rings),
		cmocka_unit_test(a_small_ring_tells_what_it_lost),
		cmocka_unit_test(samples_are_counted_instead_of_written),
		cmocka_unit_test(only_what_is_counted_is_collected),
		cmocka_unit_test(inherited_threads_are_filtered_too),
		cmocka_unit_test(the_end_of_the_target_wakes),
		cmocka_unit_test(who_forks_is_switched_too),
		cmocka_unit_test(cycles_fall_back_where_there_is_no_pmu),
		cmocka_unit_test(wrong_set_ups_are_explained),
		cmocka_unit_test(a_filter_brings_its_sample_bits),
		cmocka_unit_test(samples_go_on_where_a_cpu_is_opened_again),
	};

	return cmocka_run_group_tests_name("sampler/sampler", tests, NULL, NULL);
}
