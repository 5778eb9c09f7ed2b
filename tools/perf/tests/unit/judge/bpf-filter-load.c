// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and attaching filter programs when something is in the way: what the errors say, and that nothing is left behind.
 * Limits and capabilities are taken away in children. A child exits with 0 if its checks hold, else with their line.
 */
#include "util/judge/bpf-filter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/judge/old-kernel.h"

#define CHECK(cond)			\
	do {				\
		if (!(cond))		\
			return __LINE__; \
	} while (0)

static struct filter_table simple_table(void)
{
	return (struct filter_table){
		.entry = { { .term = FILTER_TERM_TID, .cond = FILTER_EQ, .jt = FILTER_ACCEPT, .jf = FILTER_REJECT,
			     .mask = ~0ULL, .value = 1 } },
		.nr = 1,
	};
}

static int open_event(u32 type, u64 config)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config = config, .sample_period = 1,
					.disabled = 1 };

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	while (dir && readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

#define NOT_POSSIBLE 255

static void in_child(int (*check)(void))
{
	pid_t child = fork();
	int status, line;

	if (!child) {
		line = check();
		_exit(line > NOT_POSSIBLE ? NOT_POSSIBLE - 1 : line); /* a status has 8 bits */
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_POSSIBLE) {
		print_message("skipped: this system lets nobody make a user namespace\n");
		skip();
	}
	if (status)
		fail_msg("the child's check in line %d failed (status %#x)", WEXITSTATUS(status), status);
}

static bool drop_capability(int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, caps))
		return false;
	caps[CAP_TO_INDEX(cap)].effective &= ~CAP_TO_MASK(cap);
	return !syscall(SYS_capset, &header, caps);
}

static int load_without(const int *caps, int nr, const char *expected)
{
	struct filter_table table = simple_table();
	struct bpf_filter *filter = (void *)1;
	struct errmsg err = { "" };
	int fds = count_fds();

	CHECK(drop_capability(CAP_SYS_ADMIN));
	for (int i = 0; i < nr; i++)
		CHECK(drop_capability(caps[i]));
	CHECK(bpf_filter__load(&table, 1, &filter, &err) == -EPERM);
	CHECK(!filter);
	CHECK(strstr(err.text, expected));
	CHECK(strstr(err.text, "outside of the container")); /* as it runs as root */
	CHECK(count_fds() == fds);
	CHECK(bpf_filter__load(&table, 1, &filter, NULL) == -EPERM);
	return 0;
}

static int no_cap_bpf(void)
{
	return load_without((int[]){ CAP_BPF }, 1, "needs CAP_BPF, which");
}

static int no_cap_perfmon(void)
{
	return load_without((int[]){ CAP_PERFMON }, 1, "needs CAP_PERFMON, which");
}

static int neither_cap(void)
{
	return load_without((int[]){ CAP_BPF, CAP_PERFMON }, 2, "needs CAP_BPF and CAP_PERFMON, which");
}

static int both_caps_suffice(void)
{
	struct filter_table table = simple_table();
	struct bpf_filter *filter;

	CHECK(drop_capability(CAP_SYS_ADMIN));
	CHECK(!bpf_filter__load(&table, 1, &filter, NULL));
	bpf_filter__delete(filter);
	return 0;
}

/* All capabilities, but those of a user namespace only. */
static int user_namespace(void)
{
	struct filter_table table = simple_table();
	struct bpf_filter *filter;
	struct errmsg err;

	if (unshare(CLONE_NEWUSER))
		return NOT_POSSIBLE;
	CHECK(bpf_filter__load(&table, 1, &filter, &err) == -EPERM);
	CHECK(strstr(err.text, "user namespace"));
	return 0;
}

static void missing_capability_is_named(void **state)
{
	in_child(no_cap_bpf);
	in_child(no_cap_perfmon);
	in_child(neither_cap);
	in_child(both_caps_suffice);
}

static void namespace_is_named(void **state)
{
	in_child(user_namespace);
}

static int no_locked_memory(void)
{
	struct filter_table table = simple_table();
	struct bpf_filter *filter;

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ 0, 0 }));
	CHECK(drop_capability(CAP_SYS_RESOURCE) && drop_capability(CAP_IPC_LOCK));
	CHECK(!bpf_filter__load(&table, 1, &filter, NULL));
	bpf_filter__delete(filter);
	return 0;
}

static void locked_memory_is_not_needed(void **state)
{
	in_child(no_locked_memory);
}

/* Each step of loading fails once for want of a descriptor. */
static int few_descriptors(void)
{
	struct filter_table table = simple_table();
	struct bpf_filter *filter;
	struct errmsg err;
	int fds = count_fds(), room, ret = -1;
	int lowest = open("/dev/null", O_RDONLY);

	close(lowest);
	for (room = 0; ret && room < 32; room++) {
		CHECK(!setrlimit(RLIMIT_NOFILE, &(struct rlimit){ lowest + room, 1024 }));
		ret = bpf_filter__load(&table, 1, &filter, &err);
		CHECK(!setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 1024, 1024 }));
		if (!ret)
			break;
		CHECK(ret == -EMFILE);
		CHECK(strstr(err.text, "too many files"));
		CHECK(count_fds() == fds);
	}
	CHECK(!ret);
	CHECK(room > 1);
	CHECK(count_fds() == fds + 2);
	bpf_filter__delete(filter);
	CHECK(count_fds() == fds);
	return 0;
}

static void failed_loads_leave_no_descriptor(void **state)
{
	in_child(few_descriptors);
}

static void broken_tables_are_refused(void **state)
{
	struct filter_table good = simple_table(), bad;
	struct bpf_filter *filter;
	struct errmsg err;

#define REFUSES(change)							\
	do {								\
		bad = good;						\
		change;							\
		assert_int_equal(bpf_filter__load(&bad, 1, &filter, &err), -EINVAL); \
		assert_null(filter);					\
	} while (0)
	REFUSES(bad.nr = 0);
	REFUSES(bad.nr = FILTER_MAX_ENTRIES + 1);
	REFUSES(bad.entry[0].jt = 0);
	REFUSES(bad.entry[0].jf = 1);
	REFUSES((bad.nr = 2, bad.entry[1] = bad.entry[0], bad.entry[1].jf = 1));
	REFUSES(bad.entry[0].jf = FILTER_REJECT - 1);
	REFUSES(bad.entry[0].term = FILTER_TERM_MAX);
	REFUSES(bad.entry[0].term = 255);
	REFUSES(bad.entry[0].shift = 64);
	REFUSES(bad.nr_globs = FILTER_MAX_GLOBS + 1);
	for (u8 term = FILTER_TERM_INDEXED; term < FILTER_TERM_MAX; term++) {
		if (term != FILTER_TERM_CGROUP_AT)
			REFUSES(bad.entry[0].term = term); /* there is no glob, name or set 0 */
	}
	REFUSES(bad.nr_names = FILTER_MAX_NAMES + 1);
	REFUSES(bad.nr_everys = FILTER_MAX_EVERYS + 1);
	REFUSES(bad.nr_sets = FILTER_MAX_SETS + 1);
	REFUSES(bad.nr_ranges = FILTER_MAX_RANGES + 1);
	REFUSES(bad.nr_fields = FILTER_MAX_FIELDS + 1);
	REFUSES(bad.nr_texts = FILTER_MAX_TEXTS + 1);
	REFUSES((bad.nr_fields = 1, bad.nr_texts = 2, bad.entry[0].term = FILTER_TERM_FIELD_TEXT, bad.entry[0].shift = 2));
	REFUSES((bad.nr_fields = 1, bad.nr_globs = 1, bad.entry[0].term = FILTER_TERM_FIELD_GLOB,
		 bad.entry[0].shift = 1 << FILTER_FIELD_SHIFT));
	REFUSES(bad.nr_walks = FILTER_MAX_WALKS + 1);
	REFUSES(bad.entry[0].term = FILTER_TERM_WALK); /* there is no walk */
	REFUSES((bad.nr_walks = 1, bad.entry[0].term = FILTER_TERM_WALK + 1));
	REFUSES((bad.nr_walks = 1, bad.words.walk[0].nr_steps = FILTER_WALK_STEPS + 1));
	REFUSES((bad.nr_walks = 1, bad.words.walk[0].source = FILTER_WALK_ARGUMENTS + 1));
	REFUSES((bad.nr_walks = 1, bad.words.walk[0].size = 9));
	REFUSES((bad.nr_walks = bad.nr_texts = 1, bad.entry[0].term = FILTER_TERM_WALK_TEXT, bad.entry[0].shift = 1 << FILTER_FIELD_SHIFT));
	REFUSES((bad.nr_sets = 1, bad.nr_ranges = 2, bad.words.set[0] = (struct filter_set){ 1, 2 }));
#undef REFUSES
}

static bool needs_prepared_samples(u8 term)
{
	return term == FILTER_TERM_ID || term == FILTER_TERM_TIME || term == FILTER_TERM_OWN_ID || term == FILTER_TERM_OWN_TIME ||
	       (term >= FILTER_TERM_WEIGHT && term <= FILTER_TERM_DATA_SRC) || term >= FILTER_TERM_WALK_HAS;
}

static bool needs_files(u8 term)
{
	return (term >= FILTER_TERM_FILE_DEV && term <= FILTER_TERM_FILE_OFFSET) || term == FILTER_TERM_FILE_NAME ||
	       term == FILTER_TERM_FILE_GLOB || term == FILTER_TERM_OFFSET_SET;
}

/* The Linux that an error is to name; NULL: this one can judge the term. */
static const char *refused_before(u8 term)
{
	if (!old_kernel__is())
		return NULL;
	if (needs_prepared_samples(term))
		return "Linux 6.3";
	return needs_files(term) && kernel_offer__probe(KERNEL_FIND_VMA) == KERNEL_LACKS ? "Linux 5.17" : NULL;
}

static bool is_of_tracepoints(u8 term)
{
	return (term >= FILTER_TERM_RECORD && term <= FILTER_TERM_RECORD_LAST) || term == FILTER_TERM_FIELD_TEXT || term == FILTER_TERM_FIELD_GLOB ||
	       (term >= FILTER_TERM_WALK && term <= FILTER_TERM_WALK_LAST && old_kernel__is()); /* their programs make no walks */
}

static bool is_own(u8 term)
{
	return term >= FILTER_TERM_OWN_ID && term <= FILTER_TERM_OWN_TIME;
}

/* Programs for events that share no samples have no code for terms of those that do: such a term would be 0. */
static void own_terms_need_their_program(void **state)
{
	struct filter_table table = simple_table();
	struct bpf_filter *filter;
	struct errmsg err;

	for (u8 term = FILTER_TERM_OWN_ID; term <= FILTER_TERM_OWN_TIME; term++) {
		table.entry[0].term = term;
		assert_int_equal(bpf_filter__load(&table, 1, &filter, &err), -EDOM);
		assert_non_null(strstr(err.text, "own-"));
		assert_null(filter);
	}
}

/* The program for old kernels has nothing that only a prepared sample has, and newer kernels run it, too. */
static void old_program_refuses_what_it_lacks(void **state)
{
	struct filter_table table = simple_table();
	struct bpf_filter *filter;
	struct errmsg err;

	table.entry[0].term = FILTER_TERM_TIME;
	assert_true(bpf_filter__load_old(&table, 1, &filter, &err) < 0);
	table.entry[0].term = FILTER_TERM_TID;
	if (bpf_filter__load_old(&table, 1, &filter, &err))
		fail_msg("%s", err.text);
	bpf_filter__delete(filter);
}

/*
 * Loaded by hand-made tables of one term each into the three programs: what clang makes of them differs. Old kernels refuse
 * some terms, and no others.
 */
static void every_term_loads_in_every_program(void **state)
{
	static const unsigned int sizes[] = { 16, 32, 64 };
	struct filter_table table;
	struct bpf_filter *filter;
	struct errmsg err;
	const char *since;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (u8 term = 0; term < FILTER_TERM_MAX; term++) {
			memset(&table, 0, sizeof(table));
			table.nr = sizes[i];
			table.nr_globs = table.nr_names = table.nr_sets = table.nr_everys = 1;
			table.nr_fields = table.nr_texts = 1;
			table.nr_walks = FILTER_MAX_WALKS;
			table.words.every[0] = 2;
			table.words.own = is_own(term) ? FILTER_OWN_MONOTONIC : FILTER_OWN_NOTHING;
			for (unsigned int e = 0; e < table.nr; e++)
				table.entry[e] = (struct filter_entry){
					.term = e == 0 || e == table.nr - 1 ? term : FILTER_TERM_CPU,
					.cond = 1 + e % 6, .jt = FILTER_ACCEPT, .mask = 1, .value = 1,
					.jf = e == table.nr - 1 ? FILTER_REJECT : e + 1,
				};
			if (is_of_tracepoints(term)) {
				assert_int_equal(bpf_filter__load(&table, 1, &filter, &err), -EDOM);
				assert_non_null(strstr(err.text, "cannot read"));
				continue;
			}
			since = refused_before(term);
			if (bpf_filter__load(&table, 1, &filter, &err) != (since ? -EOPNOTSUPP : 0))
				fail_msg("term %u in %u slots: %s", term, sizes[i], err.text);
			if (since)
				assert_non_null(strstr(err.text, since));
			bpf_filter__delete(filter);
		}
	}
}

static void event_takes_one_filter(void **state)
{
	int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	struct filter_table table = simple_table();
	struct bpf_filter *first, *second;
	struct errmsg err;

	assert_true(fd >= 0);
	assert_int_equal(bpf_filter__load(&table, 1, &first, &err), 0);
	assert_int_equal(bpf_filter__load(&table, 1, &second, &err), 0);
	assert_int_equal(bpf_filter__attach(first, fd, &err), 0);
	assert_int_equal(bpf_filter__attach(second, fd, &err), -EEXIST);
	assert_non_null(strstr(err.text, "&&"));
	close(fd);
	bpf_filter__delete(second);
	bpf_filter__delete(first);
}

static void tracepoint_takes_no_filter(void **state)
{
	struct filter_table table = simple_table();
	struct bpf_filter *filter;
	struct errmsg err;
	int fd = -1;

	for (u64 id = 1; fd < 0 && id < 4096; id++) /* tracefs, which has the ids, may not be mounted */
		fd = open_event(PERF_TYPE_TRACEPOINT, id);
	if (fd < 0) {
		print_message("skipped: this kernel has no tracepoint\n");
		skip();
	}
	assert_int_equal(bpf_filter__load(&table, 1, &filter, &err), 0);
	assert_int_equal(bpf_filter__attach(filter, fd, &err), -EINVAL);
	assert_non_null(strstr(err.text, "tracepoint"));
	close(fd);
	bpf_filter__delete(filter);
}

static void bad_descriptor_is_an_error(void **state)
{
	struct filter_table table = simple_table();
	struct bpf_filter *filter;
	struct errmsg err;

	assert_int_equal(bpf_filter__load(&table, 1, &filter, &err), 0);
	assert_int_equal(bpf_filter__attach(filter, -1, &err), -EBADF);
	bpf_filter__delete(filter);
	bpf_filter__delete(NULL);
}

static bool program_lives(u32 id)
{
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The event holds the program, and once both are gone the kernel has it no more. */
static void deleted_program_is_gone(void **state)
{
	int event = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	struct filter_table table = simple_table();
	struct bpf_prog_info info = { 0 };
	u32 size = sizeof(info);
	struct bpf_filter *filter;

	assert_true(event >= 0);
	assert_int_equal(bpf_filter__load(&table, 1, &filter, NULL), 0);
	assert_int_equal(bpf_obj_get_info_by_fd(bpf_filter__prog_fd(filter), &info, &size), 0);
	assert_int_equal(bpf_filter__attach(filter, event, NULL), 0);
	bpf_filter__delete(filter);
	assert_true(program_lives(info.id));
	close(event);
	for (time_t end = time(NULL) + 100; program_lives(info.id) && time(NULL) < end;) /* the kernel frees in the background */
		usleep(1000);
	assert_false(program_lives(info.id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_capability_is_named),
		cmocka_unit_test(namespace_is_named),
		cmocka_unit_test(locked_memory_is_not_needed),
		cmocka_unit_test(failed_loads_leave_no_descriptor),
		cmocka_unit_test(broken_tables_are_refused),
		cmocka_unit_test(every_term_loads_in_every_program),
		cmocka_unit_test(own_terms_need_their_program),
		cmocka_unit_test(old_program_refuses_what_it_lacks),
		cmocka_unit_test(event_takes_one_filter),
		cmocka_unit_test(tracepoint_takes_no_filter),
		cmocka_unit_test(bad_descriptor_is_an_error),
		cmocka_unit_test(deleted_program_is_gone),
	};

	return cmocka_run_group_tests_name("bpf-filter-load", tests, NULL, NULL);
}
