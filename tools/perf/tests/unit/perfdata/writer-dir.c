// SPDX-License-Identifier: GPL-2.0
/* Recordings that are directories, as they are written; dir-form.c has how they are read. */
#include "tests/unit/perfdata/fixture.h"
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <signal.h>

struct lost {
	struct perf_event_header header;
	u64 id, lost;
};

#define NR_PARTS 3

struct dir {
	struct perfdata_writer *head, *part[NR_PARTS];
};

static void open_dir(struct dir *d, const char *path)
{
	static u64 id = 11;
	const struct perfdata_event event = {
		.attr = { .size = sizeof(struct perf_event_attr), .type = PERF_TYPE_SOFTWARE, .sample_type = PERF_SAMPLE_TIME },
		.name = (char *)"cpu-clock", .ids = &id, .nr_ids = 1,
	};
	struct errmsg err;

	assert_int_equal(perfdata_writer__open_dir(path, &d->head, &err), 0);
	assert_int_equal(perfdata_writer__set_events(d->head, &event, 1, &err), 0);
	for (unsigned int i = 0; i < NR_PARTS; i++)
		assert_int_equal(perfdata_writer__open_part(d->head, i, &d->part[i], &err), 0);
}

static void close_dir(struct dir *d, bool finish)
{
	struct errmsg err;

	if (finish)
		assert_int_equal(perfdata_writer__add_feature(d->head, HEADER_HOSTNAME, "\4\0\0\0box", 8, &err), 0);
	for (unsigned int i = 0; i < NR_PARTS; i++) {
		if (finish)
			assert_int_equal(perfdata_writer__finish(d->part[i], &err), 0);
		perfdata_writer__delete(d->part[i]);
	}
	if (finish)
		assert_int_equal(perfdata_writer__finish(d->head, &err), 0);
	perfdata_writer__delete(d->head);
}

static int put_lost(struct perfdata_writer *part, u64 nr, struct errmsg *err)
{
	int ret = 0;

	for (u64 i = 0; i < nr && !ret; i++) {
		const struct lost lost = { { .type = PERF_RECORD_LOST, .size = sizeof(lost) }, .id = 11, .lost = 1 };

		ret = perfdata_writer__write(part, &lost, sizeof(lost), err);
	}
	return ret;
}

/* Number of LOST records; other records are marks of ours. */
static u64 read_dir(const char *path, bool unfinished)
{
	struct perfdata_reader *r;
	const union perf_record *record;
	struct errmsg err;
	u64 pos = 0, nr = 0;
	int ret;

	assert_int_equal(perfdata_reader__open(path, &r, &err), 0);
	assert_int_equal(perfdata_reader__unfinished(r), unfinished);
	while ((ret = perfdata_reader__next(r, &pos, &record, &err)) > 0)
		nr += record->header.type == PERF_RECORD_LOST;
	assert_int_equal(ret, 0);
	if (!unfinished)
		assert_string_equal(perfdata_reader__features(r)->hostname, "box");
	perfdata_reader__delete(r);
	return nr;
}

struct writing {
	pthread_t thread;
	struct perfdata_writer *part;
	u64 nr;
};

static void *write_many(void *data)
{
	struct writing *writing = data;
	struct errmsg err;

	return (void *)(intptr_t)put_lost(writing->part, writing->nr, &err);
}

static void threads_write_parts_at_the_same_time(void **state)
{
	struct writing writing[NR_PARTS];
	struct stat st;
	struct dir d;
	void *ret;

	open_dir(&d, "dir");
	for (unsigned int i = 0; i < NR_PARTS; i++) {
		writing[i] = (struct writing){ .part = d.part[i], .nr = 1000 * i };
		assert_int_equal(pthread_create(&writing[i].thread, NULL, write_many, &writing[i]), 0);
	}
	for (unsigned int i = 0; i < NR_PARTS; i++) {
		assert_int_equal(pthread_join(writing[i].thread, &ret), 0);
		assert_null(ret);
		assert_int_equal(perfdata_writer__bytes(d.part[i]), 1000 * i * sizeof(struct lost));
	}
	close_dir(&d, true);
	assert_int_equal(read_dir("dir", false), 3000);
	assert_int_equal(stat("dir", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(stat("dir/data.2", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void one_that_was_killed_is_read(void **state)
{
	struct errmsg err;
	struct dir d;

	open_dir(&d, "killed");
	assert_int_equal(read_dir("killed", true), 0);
	assert_int_equal(put_lost(d.part[1], 5, &err), 0);
	assert_int_equal(put_lost(d.part[2], 2, &err), 0);
	assert_int_equal(read_dir("killed", true), 7);
	close_dir(&d, false);
	assert_int_equal(read_dir("killed", true), 7);
}

static void the_head_takes_no_records(void **state)
{
	struct errmsg err;
	struct dir d;

	open_dir(&d, "head");
	assert_int_equal(put_lost(d.head, 1, &err), -EINVAL);
	assert_int_equal(perfdata_writer__open_part(d.part[0], 0, &d.part[0], &err), -EINVAL);
	assert_int_equal(perfdata_writer__open_part(d.head, 1, &d.part[1], &err), -EEXIST);
	close_dir(&d, true);
	assert_int_equal(read_dir("head", false), 0);
}

/* RLIMIT_FSIZE is as a full disk: the record that does not fit is cut off. */
static void a_part_that_is_full_keeps_whole_records(void **state)
{
	const struct rlimit small = { .rlim_cur = 4 * sizeof(struct lost) + 10, .rlim_max = RLIM_INFINITY };
	struct rlimit before;
	struct errmsg err;
	struct dir d;
	int ret;

	open_dir(&d, "full");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	ret = put_lost(d.part[0], 10, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(ret, -EFBIG);
	assert_non_null(strstr(err.text, "full/data.0"));
	assert_int_equal(put_lost(d.part[1], 1, &err), 0);
	close_dir(&d, true);
	assert_int_equal(read_dir("full", false), 5);
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static void make_recording(const char *path)
{
	struct dir d;

	open_dir(&d, path);
	close_dir(&d, true);
}

static void recordings_make_way_whatever_they_are(void **state)
{
	make_recording("way");
	make_recording("way"); /* the first one becomes way.old ... */
	assert_true(exists("way.old/data.2"));
	make_recording("way"); /* ... and gives way to the second */
	assert_true(exists("way.old/data.2") && !exists("way.old.old") && !exists("way.old/way"));
	write_fixture_file("way"); /* a file for a directory */
	assert_true(exists("way.old/data.2"));
	make_recording("way"); /* a directory for a file, which replaces a directory */
	assert_true(exists("way/data") && exists("way.old") && !exists("way.old/data"));
	make_recording("way"); /* a directory replaces a file */
	assert_true(exists("way.old/data"));
}

static int open_ret(const char *path, bool dir, struct errmsg *err)
{
	struct perfdata_writer *w = NULL;
	int ret = dir ? perfdata_writer__open_dir(path, &w, err) : perfdata_writer__open(path, &w, err);

	perfdata_writer__delete(w);
	return ret;
}

static void what_is_no_recording_stays(void **state)
{
	struct errmsg err;

	assert_int_equal(mkdir("other", 0700), 0);
	write_whole("other/letter", "dear", 4);
	assert_int_equal(open_ret("other", true, &err), -EISDIR);
	assert_int_equal(open_ret("other", false, &err), -EISDIR);
	make_recording("kept");
	make_recording("kept");
	write_whole("kept.old/letter", "dear", 4);
	assert_int_equal(open_ret("kept", true, &err), -ENOTEMPTY);
	assert_non_null(strstr(err.text, "kept.old"));
	assert_int_equal(open_ret("kept", false, &err), -ENOTEMPTY);
	assert_true(exists("other/letter") && exists("kept/data.2") && exists("kept.old/data") && exists("kept.old/letter"));
	assert_int_equal(open_ret("/dev/null", true, &err), -EINVAL);
	assert_int_equal(mkdir("empty", 0700), 0);
	assert_int_equal(open_ret("empty", true, &err), 0); /* as mktemp -d makes them */
	assert_false(exists("empty.old"));
}

static void assert_refused(const char *path, int expected, const char *text)
{
	struct perfdata_writer *w = NULL;
	struct errmsg err;

	assert_int_equal(perfdata_writer__open_dir(path, &w, &err), expected);
	assert_non_null(strstr(err.text, text));
}

static void what_is_no_place_is_refused(void **state)
{
	assert_int_equal(mkdir("others", 0700), 0);
	write_whole("others/notes", "x", 1);
	assert_refused("others", -EISDIR, "others is a directory with files that are no recording; name another one");
	assert_refused("others/notes/data", -ENOTDIR, "Cannot create the directory");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_refused("fifo", -EINVAL, "fifo is a pipe; name a directory");
	assert_refused("/dev/null", -EINVAL, "/dev/null is a device; name a directory");
}

static void no_descriptor_leaves_no_directory(void **state)
{
	const int next = dup(STDIN_FILENO);
	struct rlimit before, few;

	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (int more = 0; more < 2; more++) { /* for none, for the directory only */
		few = (struct rlimit){ next + more, before.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		assert_refused("few", -EMFILE, "Too many open files; raise ulimit -n");
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_int_equal(access("few", F_OK), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_write_parts_at_the_same_time),
		cmocka_unit_test(one_that_was_killed_is_read),
		cmocka_unit_test(the_head_takes_no_records),
		cmocka_unit_test(a_part_that_is_full_keeps_whole_records),
		cmocka_unit_test(recordings_make_way_whatever_they_are),
		cmocka_unit_test(what_is_no_recording_stays),
		cmocka_unit_test(what_is_no_place_is_refused),
		cmocka_unit_test(no_descriptor_leaves_no_directory),
	};

	return cmocka_run_group_tests_name("perfdata/writer-dir", tests, scratch__enter, scratch__leave);
}
