// SPDX-License-Identifier: GPL-2.0
/* Recordings that are directories: the fixture's file as "data", and files of bare records beside it. */
#include "tests/unit/perfdata/fixture.h"
#include <errno.h>
#include <zstd.h>
#include "util/perfdata/dir-form.h"
#include "util/perfdata/file.h"

struct lost {
	struct perf_event_header header;
	u64 id, lost;
};

static void make_dir(void)
{
	nftw("dir", remove_one, 8, FTW_DEPTH | FTW_PHYS);
	assert_int_equal(mkdir("dir", 0700), 0);
	write_fixture_file("dir/data");
}

/* LOST records, whose numbers count up over all files. */
static void write_part(const char *path, u64 first, u64 nr)
{
	struct lost lost[64];

	assert_true(nr <= ARRAY_SIZE(lost));
	for (u64 i = 0; i < nr; i++)
		lost[i] = (struct lost){ { .type = PERF_RECORD_LOST, .size = sizeof(lost[0]) }, .id = 11, .lost = first + i };
	write_whole(path, lost, nr * sizeof(lost[0]));
}

/* The same in a stream of its own, in two records of odd sizes. */
static void write_packed_part(const char *path, u64 first, u64 nr)
{
	u8 packed[4096], file[8192], *to = file;
	size_t plain_size, size;
	u8 *plain;

	write_part(path, first, nr);
	plain = read_whole(path, &plain_size);
	size = ZSTD_compress(packed, sizeof(packed), plain, plain_size, 1);
	assert_false(ZSTD_isError(size));
	for (size_t at = 0; at < size;) {
		size_t part = at ? size - at : 33;
		struct perf_event_header header = { .type = PERF_RECORD_COMPRESSED, .size = sizeof(header) + part };

		to = mempcpy(mempcpy(to, &header, sizeof(header)), packed + at, part);
		at += part;
	}
	write_whole(path, file, to - file);
	free(plain);
}

/* Open dir and read it; returns how many LOST records came, in their order. */
static u64 read_dir(bool torn)
{
	struct perfdata_reader *r = NULL;
	const union perf_record *record;
	u64 pos = 0, nr = 0, nr_own = 0;
	struct errmsg err;
	int ret;

	assert_int_equal(perfdata_reader__open("dir", &r, &err), 0);
	while ((ret = perfdata_reader__next(r, &pos, &record, &err)) > 0) {
		if (record->header.type == PERF_RECORD_LOST)
			assert_int_equal(record->lost.lost, nr++);
		else if (record->header.type != PERF_RECORD_COMPRESSED)
			nr_own++;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(nr_own, FIXTURE_RECORDS);
	assert_int_equal(perfdata_reader__truncated(r), torn);
	if (!perfdata_reader__unfinished(r)) {
		assert_string_equal(perfdata_reader__features(r)->hostname, "host");
		assert_int_equal(perfdata_reader__features(r)->nr_tracing, fixture_features()->nr_tracing);
		assert_null(perfdata_reader__warnings(r));
	}
	perfdata_reader__delete(r);
	return nr;
}

static void all_files_are_read(void **state)
{
	make_dir();
	assert_int_equal(read_dir(false), 0);
	write_part("dir/data.0", 0, 3);
	write_part("dir/data.1", 3, 0);
	write_part("dir/data.2", 3, 40);
	assert_int_equal(read_dir(false), 43);
}

static void each_has_a_stream_of_its_own(void **state)
{
	make_dir();
	write_packed_part("dir/data.0", 0, 60);
	write_packed_part("dir/data.1", 60, 20);
	write_part("dir/data.2", 80, 2);
	write_packed_part("dir/data.3", 82, 50);
	assert_int_equal(read_dir(false), 132);
}

static void what_a_killed_one_left_is_read(void **state)
{
	make_dir();
	write_part("dir/data.0", 0, 3);
	write_part("dir/data.1", 2, 3);
	assert_int_equal(truncate("dir/data.0", 3 * sizeof(struct lost) - 1), 0);
	assert_int_equal(read_dir(true), 5);
}

static void every_cut_of_the_first_file_is_survived(void **state)
{
	struct perfdata_reader *r;
	struct errmsg err;
	size_t size;
	u8 *whole;

	make_dir();
	write_part("dir/data.0", 0, 3);
	whole = read_whole("dir/data", &size);
	for (size_t cut = 0; cut < size; cut++) {
		const union perf_record *record;
		u64 pos = 0;

		write_whole("dir/data", whole, cut);
		if (perfdata_reader__open("dir", &r, &err)) {
			assert_true(err.text[0]);
			continue;
		}
		while (perfdata_reader__next(r, &pos, &record, &err) > 0)
			;
		perfdata_reader__delete(r);
	}
	free(whole);
}

static void assert_refused(const char *path, int expected, const char *text)
{
	struct perfdata_reader *r;
	struct errmsg err;

	assert_int_equal(perfdata_reader__open(path, &r, &err), expected);
	assert_non_null(strstr(err.text, text));
}

static void what_is_none_is_refused(void **state)
{
	make_dir();
	assert_int_equal(mkdir("dir/data.0", 0700), 0);
	assert_refused("dir", -EINVAL, "dir/data.0 is not a regular file");
	write_whole("dir/data", "2ELIFREP", 8);
	assert_refused("dir", -EINVAL, "other byte order");
	write_whole("dir/data", "PERFILE2", 8);
	assert_refused("dir", -EINVAL, "cut off in its header");
	assert_int_equal(unlink("dir/data"), 0);
	assert_refused("dir", -EISDIR, "no file data");
}

static void a_part_that_is_missing_is_told(void **state)
{
	make_dir();
	write_part("dir/data.1", 0, 3);
	assert_refused("dir", -EINVAL, "dir/data.0 is missing: copy the directory whole");
	write_part("dir/data.0", 0, 3);
	write_part("dir/data.11", 3, 3);
	assert_refused("dir", -EINVAL, "dir/data.2 is missing");
	assert_int_equal(rename("dir/data.11", "dir/data.02"), 0); /* no name of a part */
	assert_int_equal(rename("dir/data.1", "dir/data.99999999999"), 0);
	assert_int_equal(read_dir(false), 3);
}

static u64 size_of_copy(void)
{
	struct dir_form d;
	struct errmsg err;
	struct stat st;

	assert_int_equal(dir_form__gather(&d, "dir", &err), 0);
	assert_int_equal(fstat(d.fd, &st), 0);
	dir_form__exit(&d);
	return st.st_size;
}

static void patch(u64 at, const void *data, size_t size)
{
	int fd = open("dir/data", O_WRONLY);

	assert_int_equal(pwrite(fd, data, size, at), size);
	close(fd);
}

#define SPARSE (64ULL << 20)

static void holes_are_not_copied(void **state)
{
	const u64 large = SPARSE / 2;
	struct file_header header;
	struct file_section section;
	u64 table, plain;
	size_t size;
	u8 *whole;

	make_dir();
	whole = read_whole("dir/data", &size);
	memcpy(&header, whole, sizeof(header));
	table = header.data.offset + header.data.size;
	memcpy(&section, whole + table, sizeof(section));
	plain = size_of_copy();
	assert_int_equal(truncate("dir/data", SPARSE), 0);
	assert_int_equal(size_of_copy(), plain); /* nothing names what is behind the features */
	assert_int_equal(read_dir(false), 0);

	section.size = large;
	patch(table, &section, sizeof(section));
	assert_refused("dir", -EFBIG, "dir/data says that it has 67108864 bytes");
	write_whole("dir/data", whole, size);
	assert_int_equal(truncate("dir/data", SPARSE), 0);
	patch(offsetof(struct file_header, data.size), &large, sizeof(large));
	assert_refused("dir", -EFBIG, "far fewer are on disk");
	free(whole);
}

/* Nor is it moved into the file by a sum that overflows. */
static void a_section_outside_is_left_out(void **state)
{
	struct perfdata_reader *r;
	struct file_header header;
	struct file_section section;
	struct errmsg err;
	size_t size;
	u64 table;
	u8 *whole;

	make_dir();
	write_part("dir/data.0", 0, 3);
	whole = read_whole("dir/data", &size);
	memcpy(&header, whole, sizeof(header));
	free(whole);
	table = header.data.offset + header.data.size;
	section = (struct file_section){ -2 * sizeof(struct lost), 8 };
	patch(table, &section, sizeof(section));
	assert_int_equal(perfdata_reader__open("dir", &r, &err), 0);
	assert_non_null(strstr(perfdata_reader__warnings(r), "section is outside of the file"));
	perfdata_reader__delete(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_files_are_read),
		cmocka_unit_test(each_has_a_stream_of_its_own),
		cmocka_unit_test(what_a_killed_one_left_is_read),
		cmocka_unit_test(every_cut_of_the_first_file_is_survived),
		cmocka_unit_test(what_is_none_is_refused),
		cmocka_unit_test(a_part_that_is_missing_is_told),
		cmocka_unit_test(holes_are_not_copied),
		cmocka_unit_test(a_section_outside_is_left_out),
	};

	return cmocka_run_group_tests_name("perfdata/dir-form", tests, scratch__enter, scratch__leave);
}
