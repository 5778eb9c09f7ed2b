// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/perfdata/fixture.h"
#include <errno.h>
#include <sys/mount.h>

#include "util/perfdata/file.h"

static void file_is_private_whatever_the_umask(void **state)
{
	mode_t old = umask(0);
	struct stat st;

	write_fixture_file("private");
	umask(old);
	assert_int_equal(stat("private", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void existing_file_becomes_old(void **state)
{
	size_t size;
	u8 *old;

	write_whole("again", "first", 5);
	assert_int_equal(chmod("again", 0666), 0);
	write_whole("again.old", "older", 5);
	write_fixture_file("again");
	old = read_whole("again.old", &size);
	assert_int_equal(size, 5);
	assert_memory_equal(old, "first", 5);
	free(old);
}

static void empty_file_does_not_replace_the_old(void **state)
{
	size_t size;
	u8 *old;

	write_whole("mktemp", "", 0);
	write_whole("mktemp.old", "older", 5);
	write_fixture_file("mktemp");
	old = read_whole("mktemp.old", &size);
	assert_memory_equal(old, "older", 5);
	free(old);
}

/* Whoever put a link there does not get our data written to where it points. */
static void nothing_is_written_through_a_symlink(void **state)
{
	struct stat st;
	size_t size;
	u8 *victim;

	write_whole("victim", "precious", 8);
	assert_int_equal(symlink("victim", "link"), 0);
	assert_int_equal(symlink("does-not-exist", "dangling"), 0);
	write_fixture_file("link");
	write_fixture_file("dangling");
	victim = read_whole("victim", &size);
	assert_int_equal(size, 8);
	assert_memory_equal(victim, "precious", 8);
	free(victim);
	assert_int_equal(access("does-not-exist", F_OK), -1);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(lstat("link.old", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static int open_error(const char *path, struct errmsg *err)
{
	struct perfdata_writer *w = NULL;
	int ret = perfdata_writer__open(path, &w, err);

	assert_null(w);
	return ret;
}

static void refuses_what_is_no_file(void **state)
{
	struct errmsg err;
	struct stat st;

	assert_int_equal(mkdir("dir", 0700), 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(symlink("dir", "link-to-dir"), 0);
	assert_int_equal(open_error("dir", &err), -EISDIR);
	assert_non_null(strstr(err.text, "dir is a directory"));
	assert_int_equal(open_error("link-to-dir", &err), -EISDIR);
	assert_int_equal(open_error("fifo", &err), -EINVAL);
	assert_non_null(strstr(err.text, "pipe"));
	assert_int_equal(open_error("no/such/dir", &err), -ENOENT);
	assert_non_null(strstr(err.text, "no/such/dir"));
	assert_int_equal(lstat("fifo", &st), 0); /* still there, not renamed */
	assert_int_equal(lstat("dir", &st), 0);
}

static void refuses_when_the_old_cannot_be_replaced(void **state)
{
	struct errmsg err;
	size_t size;

	write_whole("kept", "data", 4);
	assert_int_equal(mkdir("kept.old", 0700), 0);
	assert_int_equal(open_error("kept", &err), -EISDIR);
	assert_non_null(strstr(err.text, "kept.old"));
	free(read_whole("kept", &size));
	assert_int_equal(size, 4);
}

static void dev_null_is_written_and_stays(void **state)
{
	struct stat before, after;

	assert_int_equal(stat("/dev/null", &before), 0);
	write_fixture_file("/dev/null");
	assert_int_equal(lstat("/dev/null", &after), 0);
	assert_true(S_ISCHR(after.st_mode));
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_mode, after.st_mode);
}

static void full_device_is_reported(void **state)
{
	struct perfdata_writer *w = NULL;
	struct errmsg err;
	u32 nr;

	assert_int_equal(perfdata_writer__open("/dev/full", &w, &err), 0);
	assert_int_equal(perfdata_writer__set_events(w, fixture_events(&nr), 2, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "/dev/full"));
	assert_non_null(strstr(err.text, strerror(ENOSPC)));
	perfdata_writer__delete(w);
}

static size_t attr_size_in_file(const struct perfdata_event *events, u32 nr)
{
	struct perfdata_writer *w = NULL;
	struct file_header header;
	struct errmsg err;
	size_t size;
	u8 *file;
	u32 in_attr;

	assert_int_equal(perfdata_writer__open("attrs", &w, &err), 0);
	assert_int_equal(perfdata_writer__set_events(w, events, nr, &err), 0);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	perfdata_writer__delete(w);
	file = read_whole("attrs", &size);
	memcpy(&header, file, sizeof(header));
	for (u32 i = 0; i < nr; i++) {
		memcpy(&in_attr, file + header.attrs.offset + i * header.attr_size + 4, sizeof(in_attr));
		assert_int_equal(in_attr, header.attr_size - sizeof(struct file_section));
	}
	assert_int_equal(header.attrs.size, nr * header.attr_size);
	free(file);
	return header.attr_size - sizeof(struct file_section);
}

static void attrs_have_the_smallest_size_that_holds_them(void **state)
{
	struct perfdata_event events[2] = { { .attr.size = 136 }, { .attr.size = 7 } };

	assert_int_equal(attr_size_in_file(events, 2), 112);
	events[1].attr.sample_max_stack = 1; /* the last member of version 5 */
	assert_int_equal(attr_size_in_file(events, 2), 112);
	events[0].attr.aux_sample_size = 1;
	assert_int_equal(attr_size_in_file(events, 2), 120);
	events[1].attr.sig_data = 1;
	assert_int_equal(attr_size_in_file(events, 2), 128);
	assert_int_equal(events[0].attr.size, 136); /* the caller's are untouched */
}

static void finished_file_has_the_documented_layout(void **state)
{
	struct file_header h;
	struct file_section s, last = { 0 };
	size_t size;
	u8 *file;
	u64 ids[6], at;

	write_fixture_file("layout");
	file = read_whole("layout", &size);
	memcpy(&h, file, sizeof(h));
	assert_memory_equal(h.magic, "PERFILE2", 8);
	assert_int_equal(h.size, 104);
	memcpy(ids, file + 104, sizeof(ids));
	assert_int_equal(ids[0], 11);
	assert_int_equal(ids[5], 23);
	assert_int_equal(h.attrs.offset, 104 + sizeof(ids));
	assert_int_equal(h.data.offset, h.attrs.offset + h.attrs.size);
	memcpy(&s, file + h.attrs.offset + h.attr_size + 112, sizeof(s));
	assert_int_equal(s.offset, 104 + 3 * sizeof(u64));
	assert_int_equal(s.size, 3 * sizeof(u64));
	at = h.data.offset + h.data.size;
	for (int i = 0; i < HEADER_FEAT_BITS; i++) {
		if (!(h.features[i / 64] >> i % 64 & 1))
			continue;
		memcpy(&s, file + at, sizeof(s));
		assert_true(s.offset >= last.offset + last.size);
		last = s;
		at += sizeof(s);
	}
	assert_int_equal(last.offset + last.size, size);
	free(file);
}

static u64 data_size_in_file(const char *path)
{
	struct file_header h;
	size_t size;
	u8 *file = read_whole(path, &size);

	memcpy(&h, file, sizeof(h));
	for (size_t i = 0; i < ARRAY_SIZE(h.features); i++)
		assert_int_equal(h.features[i], 0);
	free(file);
	return h.data.size;
}

/* What is in the file while recording is what a killed recording leaves. */
static void header_follows_the_rounds(void **state)
{
	const union perf_record *sample = RECORD(PERF_RECORD_SAMPLE, 1, 2, 3), *round = RECORD(PERF_RECORD_FINISHED_ROUND);
	struct perfdata_writer *w = start_fixture_file("killed");
	u64 start = perfdata_writer__bytes(w);
	struct errmsg err;
	u64 written;

	assert_int_equal(perfdata_writer__write(w, sample, 32, &err), 0);
	assert_int_equal(data_size_in_file("killed"), 0);
	assert_int_equal(perfdata_writer__write(w, round, 8, &err), 0);
	assert_int_equal(data_size_in_file("killed"), 40);
	for (int i = 0; i < 3000; i++)
		assert_int_equal(perfdata_writer__write(w, sample, 32, &err), 0);
	written = perfdata_writer__bytes(w) - start;
	assert_in_range(data_size_in_file("killed"), written - (64 << 10), written);
	perfdata_writer__delete(w);
}

static void wrong_order_is_refused(void **state)
{
	struct perfdata_writer *w = NULL;
	const struct perfdata_event *events;
	struct errmsg err;
	u32 nr;

	events = fixture_events(&nr);
	assert_int_equal(perfdata_writer__open("order", &w, &err), 0);
	assert_int_equal(perfdata_writer__write(w, "12345678", 8, &err), -EINVAL);
	assert_int_equal(perfdata_writer__finish(w, &err), -EINVAL);
	assert_int_equal(perfdata_writer__set_events(w, events, 0, &err), -EINVAL);
	assert_int_equal(perfdata_writer__set_events(w, events, nr, &err), 0);
	assert_int_equal(perfdata_writer__set_events(w, events, nr, &err), -EINVAL);
	assert_int_equal(perfdata_writer__add_feature(w, HEADER_FEAT_BITS, "", 0, &err), -EINVAL);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	assert_int_equal(perfdata_writer__write(w, "12345678", 8, &err), -EINVAL);
	perfdata_writer__delete(w);
}

/* Many parts, more than the kernel takes at once. */
static void writev_takes_any_number_of_parts(void **state)
{
	enum { PARTS = 3000 };
	const union perf_record *sample = RECORD(PERF_RECORD_SAMPLE, 1, 2, 3);
	struct perfdata_writer *w = start_fixture_file("parts");
	struct iovec *iov = calloc(PARTS, sizeof(*iov));
	u64 start = perfdata_writer__bytes(w);
	struct errmsg err;

	assert_non_null(iov);
	for (int i = 0; i < PARTS; i++)
		iov[i] = (struct iovec){ (u8 *)sample + i % 4 * 8, 8 };
	assert_int_equal(perfdata_writer__writev(w, iov, PARTS, &err), 0);
	assert_int_equal(perfdata_writer__bytes(w) - start, PARTS * 8);
	free(iov);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	perfdata_writer__delete(w);
}

enum { FULL_SIZE = 64 << 10, RECORD_WORDS = 37 };

/* A file system of 64 KiB that is mounted nowhere, in a chroot, too: its descriptor, or -1 if that is not permitted. */
static int make_small_fs(void)
{
	int fs = fsopen("tmpfs", FSOPEN_CLOEXEC), fd = -1;

	if (fs >= 0 && !fsconfig(fs, FSCONFIG_SET_STRING, "size", "64k", 0) && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (fs >= 0)
		close(fs);
	return fd;
}

static void count_numbered_records(const char *path, u64 nr)
{
	struct perfdata_reader *r = NULL;
	const union perf_record *record;
	struct errmsg err = { "" };
	u64 pos = 0, i = 0;
	int ret;

	assert_int_equal(perfdata_reader__open(path, &r, &err), 0);
	while ((ret = perfdata_reader__next(r, &pos, &record, &err)) > 0) {
		assert_int_equal(record->header.size, RECORD_WORDS * 8);
		assert_int_equal(((const u64 *)record)[RECORD_WORDS - 1], i++);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(i, nr);
	assert_false(perfdata_reader__truncated(r));
	perfdata_reader__delete(r);
}

/* One call writes six records as three parts: the first and the last end in the middle of a record. */
static int write_six(struct perfdata_writer *w, u64 first, struct errmsg *err)
{
	const u64 words[RECORD_WORDS] = { 0 };
	u64 block[6 * RECORD_WORDS];
	struct iovec iov[3] = {
		{ block, (RECORD_WORDS + 5) * 8 },
		{ block + RECORD_WORDS + 5, (4 * RECORD_WORDS - 2) * 8 },
		{ block + 5 * RECORD_WORDS + 3, (RECORD_WORDS - 3) * 8 },
	};

	for (u64 i = 0; i < 6; i++) {
		perf_record__fill(block + i * RECORD_WORDS, PERF_RECORD_SAMPLE, words, sizeof(words));
		block[(i + 1) * RECORD_WORDS - 1] = first + i;
	}
	return perfdata_writer__writev(w, iov, ARRAY_SIZE(iov), err);
}

static void full_disk_keeps_every_whole_record(void **state)
{
	static const u8 large_feature[16 << 10];
	struct perfdata_writer *w;
	struct errmsg err;
	u64 start, nr = 0, fit;
	int ret, fs = make_small_fs();
	struct stat st;
	char full[64];

	if (fs < 0) {
		print_message("cannot make a small tmpfs: %s\n", strerror(errno));
		skip();
	}
	snprintf(full, sizeof(full), "/proc/self/fd/%d/full", fs);
	w = start_fixture_file(full);
	start = perfdata_writer__bytes(w);
	fit = (FULL_SIZE - start) / (RECORD_WORDS * 8);
	assert_true(fit % 6); /* the last call fails half way */
	while (!(ret = write_six(w, nr, &err)))
		nr += 6;
	assert_int_equal(ret, -ENOSPC);
	assert_non_null(strstr(err.text, strerror(ENOSPC)));
	assert_int_equal(perfdata_writer__bytes(w), start + fit * RECORD_WORDS * 8);
	assert_int_equal(stat(full, &st), 0);
	assert_int_equal(st.st_size, perfdata_writer__bytes(w));
	assert_int_equal(data_size_in_file(full), fit * RECORD_WORDS * 8);
	count_numbered_records(full, fit);

	assert_int_equal(perfdata_writer__add_feature(w, HEADER_CACHE, large_feature, sizeof(large_feature), &err), 0);
	assert_int_equal(perfdata_writer__finish(w, &err), -ENOSPC);
	perfdata_writer__delete(w);
	assert_int_equal(stat(full, &st), 0);
	assert_int_equal(st.st_size, start + fit * RECORD_WORDS * 8);
	count_numbered_records(full, fit);
	close(fs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_is_private_whatever_the_umask),
		cmocka_unit_test(existing_file_becomes_old),
		cmocka_unit_test(empty_file_does_not_replace_the_old),
		cmocka_unit_test(nothing_is_written_through_a_symlink),
		cmocka_unit_test(refuses_what_is_no_file),
		cmocka_unit_test(refuses_when_the_old_cannot_be_replaced),
		cmocka_unit_test(dev_null_is_written_and_stays),
		cmocka_unit_test(full_device_is_reported),
		cmocka_unit_test(attrs_have_the_smallest_size_that_holds_them),
		cmocka_unit_test(finished_file_has_the_documented_layout),
		cmocka_unit_test(header_follows_the_rounds),
		cmocka_unit_test(wrong_order_is_refused),
		cmocka_unit_test(writev_takes_any_number_of_parts),
		cmocka_unit_test(full_disk_keeps_every_whole_record),
	};

	return cmocka_run_group_tests_name("perfdata/writer", tests, scratch__enter, scratch__leave);
}
