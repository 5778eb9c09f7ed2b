// SPDX-License-Identifier: GPL-2.0
/* What the table of images says of one: its variables, maps and programs, under the names of its source, and what becomes of them. */
#include "util/bpf/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "util/bpf_skel/filter.h"
#include "util/lib/types.h"

static struct bpf_programs *open_filter(void)
{
	struct bpf_programs *p = bpf_programs__open(&bpf_image_filter16);

	assert_non_null(p);
	return p;
}

static void variables_have_their_sizes(void **state)
{
	struct bpf_programs *p = open_filter();
	size_t size;

	assert_non_null(bpf_programs__var(p, "filter_table", &size));
	assert_int_equal(size, 16 * sizeof(struct filter_entry));
	assert_non_null(bpf_programs__sized_var(p, "filter_words", sizeof(struct filter_words)));
	bpf_programs__delete(p);
}

static void variants_differ(void **state)
{
	struct bpf_programs *p = open_filter(), *sending = bpf_programs__open(&bpf_image_filter_files64);
	size_t size;

	assert_non_null(sending);
	assert_false(bpf_programs__has_var(p, "filter_sends_terms"));
	assert_true(bpf_programs__has_var(sending, "filter_sends_terms"));
	assert_false(bpf_programs__has_map(p, "filter_mends"));
	assert_true(bpf_programs__has_map(sending, "filter_mends"));
	bpf_programs__var(sending, "filter_table", &size);
	assert_int_equal(size, 64 * sizeof(struct filter_entry));
	bpf_programs__delete(p);
	bpf_programs__delete(sending);
}

/* All of them, so that a source whose layout the generator does not understand is found. */
static void each_image_has_programs(void **state)
{
	static const struct bpf_image *const images[] = {
		&bpf_image_filter16, &bpf_image_filter32, &bpf_image_filter64, &bpf_image_filter_files16, &bpf_image_filter_files64,
		&bpf_image_filter_explain, &bpf_image_filter_old, &bpf_image_filter_explain_old, &bpf_image_filter_shared,
		&bpf_image_filter_shared_bounded, &bpf_image_filter_shared_old, &bpf_image_tally_samples16, &bpf_image_tally_samples32,
		&bpf_image_tally_samples64, &bpf_image_tally_samples_old, &bpf_image_tp_enter, &bpf_image_tp_exit, &bpf_image_tp_any,
		&bpf_image_histogram, &bpf_image_histogram_event, &bpf_image_histogram_syscalls, &bpf_image_histogram_syscalls_event,
		&bpf_image_histogram_tracepoints, &bpf_image_histogram_probes, &bpf_image_tp_enter_event, &bpf_image_tp_exit_event,
		&bpf_image_lock_futex_event, &bpf_image_kwork, &bpf_image_kwork_event, &bpf_image_offcpu, &bpf_image_unwind_tables, &bpf_image_unwind_samples, &bpf_image_unwind_samples16,
		&bpf_image_snapshot,
	};

	for (size_t i = 0; i < ARRAY_SIZE(images); i++) {
		struct bpf_programs *p = bpf_programs__open(images[i]);

		assert_non_null(p);
		assert_non_null(images[i]->progs[0].name);
		assert_non_null(images[i]->maps[0].name);
		bpf_programs__delete(p);
	}
}

/* What is set before the load is what the program has, and a map is as large as was said. */
static void what_is_configured_is_loaded(void **state)
{
	struct bpf_programs *p = open_filter();
	struct bpf_map_info info = { 0 };
	u32 size = sizeof(info), nr_events = 7;
	int counts_fd;

	if (geteuid())
		skip();
	bpf_programs__set(p, "filter_nr_events", nr_events);
	bpf_programs__resize(p, "filter_counts", nr_events);
	if (bpf_programs__load(p)) {
		bpf_programs__delete(p);
		skip(); /* a kernel that is too old for this image */
	}
	assert_int_equal(bpf_programs__get(p, "filter_nr_events", u32), nr_events);
	assert_int_equal(bpf_obj_get_info_by_fd(bpf_programs__map(p, "filter_counts"), &info, &size), 0);
	assert_int_equal(info.max_entries, nr_events);
	/* What is taken outlives the programs. */
	counts_fd = bpf_programs__take_map(p, "filter_counts");
	bpf_programs__delete(p);
	size = sizeof(info);
	assert_int_equal(bpf_obj_get_info_by_fd(counts_fd, &info, &size), 0);
	close(counts_fd);
}

static void limit_files(rlim_t nr)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = nr;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void a_refusal_can_be_mended(void **state)
{
	struct bpf_programs *p = open_filter();
	int ret;

	if (geteuid())
		skip();
	limit_files(3);
	ret = bpf_programs__load(p);
	limit_files(1024);
	assert_int_equal(ret, -EMFILE);
	ret = bpf_programs__load(p);
	assert_int_not_equal(ret, -EMFILE); /* the kernel may be too old for this image */
	bpf_programs__delete(p);
}

static u32 map_id(const struct bpf_programs *p, const char *name)
{
	struct bpf_map_info info = { 0 };
	u32 size = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(bpf_programs__map(p, name), &info, &size), 0);
	return info.id;
}

static unsigned int nr_open(void)
{
	unsigned int nr = 0;

	for (int fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static const char *const tables[] = { "unwind_segments", "unwind_rules", "unwind_files", "unwind_requests" };

static struct bpf_programs *open_sharing(const struct bpf_programs *other)
{
	struct bpf_programs *p = bpf_programs__open(&bpf_image_unwind_samples16);

	assert_non_null(p);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		assert_int_equal(bpf_programs__share(p, tables[i], other), 0);
	return p;
}

static struct bpf_programs *load_tables(void)
{
	struct bpf_programs *p = bpf_programs__open(&bpf_image_unwind_tables);

	assert_non_null(p);
	if (!geteuid() && !bpf_programs__load(p))
		return p;
	bpf_programs__delete(p);
	skip(); /* a kernel that is too old for this image */
	return NULL;
}

static void shared_maps_are_not_created(void **state)
{
	struct bpf_programs *owner = load_tables(), *p = open_sharing(owner), *alone = bpf_programs__open(&bpf_image_unwind_samples16);
	const unsigned int before = nr_open();
	u32 id;

	assert_non_null(alone);
	if (bpf_programs__load(p) || bpf_programs__load(alone))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		assert_int_equal(map_id(p, tables[i]), map_id(owner, tables[i]));
		assert_int_not_equal(map_id(alone, tables[i]), map_id(owner, tables[i]));
	}
	assert_int_not_equal(map_id(p, "unwind_states"), map_id(alone, "unwind_states"));
	id = map_id(p, "unwind_files");
	bpf_programs__delete(owner); /* whoever is left keeps the map */
	assert_int_equal(map_id(p, "unwind_files"), id);
	bpf_programs__delete(p);
	bpf_programs__delete(alone);
	assert_true(nr_open() < before);
}

/* The loader takes descriptors that are copies, and closes some of them when it fails. */
static void a_refusal_leaves_no_descriptors(void **state)
{
	struct bpf_programs *owner = load_tables(), *p;
	const unsigned int before = nr_open();
	int ret = -EMFILE;

	for (rlim_t limit = 3; limit < 100 && ret == -EMFILE; limit++) {
		p = open_sharing(owner);
		limit_files(limit);
		ret = bpf_programs__load(p);
		limit_files(1024);
		assert_int_equal(map_id(p, "unwind_files"), map_id(owner, "unwind_files"));
		bpf_programs__delete(p);
		assert_int_equal(nr_open(), before);
	}
	assert_int_not_equal(ret, -EMFILE); /* the kernel may be too old for this image */
	bpf_programs__delete(owner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_have_their_sizes),
		cmocka_unit_test(variants_differ),
		cmocka_unit_test(each_image_has_programs),
		cmocka_unit_test(what_is_configured_is_loaded),
		cmocka_unit_test(a_refusal_can_be_mended),
		cmocka_unit_test(shared_maps_are_not_created),
		cmocka_unit_test(a_refusal_leaves_no_descriptors),
	};

	return cmocka_run_group_tests_name("bpf/programs", tests, NULL, NULL);
}
