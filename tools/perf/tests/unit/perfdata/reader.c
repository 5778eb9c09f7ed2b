// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/perfdata/fixture.h"
#include <errno.h>
#include <sys/mman.h>

#include "util/perfdata/file.h"

enum { MUTATIONS = 100000 };

/* A file of the given content that has a name but needs no disk. */
struct memory_file {
	int fd;
	char path[32];
};

static struct memory_file memory_file__new(const void *data, size_t size)
{
	struct memory_file f = { .fd = memfd_create("perfdata", MFD_CLOEXEC) };

	assert_true(f.fd >= 0);
	snprintf(f.path, sizeof(f.path), "/proc/self/fd/%d", f.fd);
	assert_int_equal(pwrite(f.fd, data, size, 0), size);
	return f;
}

static u8 *fixture_bytes(size_t *size)
{
	write_fixture_file("fixture");
	return read_whole("fixture", size);
}

static int open_error(const char *path, struct errmsg *err)
{
	struct perfdata_reader *r = NULL;
	int ret = perfdata_reader__open(path, &r, err);

	assert_null(r);
	return ret;
}

static void refusal_says(const void *data, size_t size, const char *words)
{
	struct memory_file f = memory_file__new(data, size);
	struct errmsg err = { "" };

	assert_int_equal(open_error(f.path, &err), -EINVAL);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
	close(f.fd);
}

/* All records; returns how many, or the error. Each is decoded from a copy of its size: the sanitizer sees reads behind it. */
static int read_records(struct perfdata_reader *r)
{
	const struct perfdata_event *events;
	const union perf_record *record;
	struct errmsg err;
	int ret, nr = 0;
	u64 pos = 0;
	u32 nr_events;

	events = perfdata_reader__events(r, &nr_events);
	while ((ret = perfdata_reader__next(r, &pos, &record, &err)) > 0) {
		union perf_record *copy = malloc(record->header.size);

		assert_non_null(copy);
		memcpy(copy, record, record->header.size);
		for (u32 i = 0; i < nr_events && i < 4; i++) {
			struct perf_sample sample;

			perf_sample__decode(&sample, &events[i].attr, copy);
			perf_sample__decode_id(&sample, &events[i].attr, copy);
		}
		free(copy);
		nr++;
	}
	return ret ?: nr;
}

static void reads_back_what_was_written(void **state)
{
	struct perfdata_reader *r = NULL;
	const struct perfdata_event *events;
	const struct perfdata_features *f;
	struct errmsg err;
	u32 nr;

	write_fixture_file("whole");
	assert_int_equal(perfdata_reader__open("whole", &r, &err), 0);
	events = perfdata_reader__events(r, &nr);
	assert_int_equal(nr, 2);
	assert_string_equal(events[0].name, "cpu-clock:u");
	assert_string_equal(events[1].name, "sched:sched_switch");
	assert_int_equal(events[1].attr.config, 372);
	assert_int_equal(events[1].nr_ids, 3);
	assert_int_equal(events[1].ids[2], 23);
	f = perfdata_reader__features(r);
	assert_string_equal(f->hostname, "host");
	assert_string_equal(f->cmdline[5], "a b");
	assert_int_equal(f->nr_tracing, 4);
	assert_true(perfdata_features__has(f, HEADER_BRANCH_STACK));
	assert_false(perfdata_features__has(f, HEADER_STAT));
	assert_null(perfdata_reader__warnings(r));
	assert_false(perfdata_reader__unfinished(r));
	assert_int_equal(read_records(r), FIXTURE_RECORDS);
	assert_false(perfdata_reader__truncated(r));
	perfdata_reader__delete(r);
}

static void names_follow_the_ids_not_the_order(void **state)
{
	struct perfdata_event turned[2];
	struct perfdata_features f = { .event_desc = turned, .nr_event_desc = 2 };
	struct perfdata_writer *w = start_fixture_file("turned");
	const struct perfdata_event *events;
	struct perfdata_reader *r = NULL;
	struct errmsg err;
	size_t size;
	void *body;
	u32 nr;

	events = fixture_events(&nr);
	turned[0] = events[1];
	turned[1] = events[0];
	assert_int_equal(perfdata_features__encode(&f, HEADER_EVENT_DESC, &body, &size), 0);
	assert_int_equal(perfdata_writer__add_feature(w, HEADER_EVENT_DESC, body, size, &err), 0);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	perfdata_writer__delete(w);
	free(body);
	assert_int_equal(perfdata_reader__open("turned", &r, &err), 0);
	events = perfdata_reader__events(r, &nr);
	assert_string_equal(events[0].name, "cpu-clock:u");
	assert_string_equal(events[1].name, "sched:sched_switch");
	perfdata_reader__delete(r);
}

/* How many records lie wholly in the first `length` bytes of the data; an AUXTRACE record has its payload behind it. */
static int whole_records_in(const u8 *data, u64 length)
{
	u64 at = 0;
	int nr = 0;

	while (at + 8 <= length) {
		struct perf_event_header header;

		memcpy(&header, data + at, sizeof(header));
		at += header.size + (header.type == PERF_RECORD_AUXTRACE ? 16 : 0);
		nr += at <= length;
	}
	return nr;
}

static void a_file_cut_anywhere_gives_its_whole_records(void **state)
{
	struct file_header h;
	size_t size;
	u8 *bytes = fixture_bytes(&size);
	struct memory_file f = memory_file__new(bytes, size);
	struct errmsg err;

	memcpy(&h, bytes, sizeof(h));
	for (size_t length = size - 1; length > 0; length--) {
		u64 data_length = length < h.data.offset ? 0 : length - h.data.offset;
		struct perfdata_reader *r = NULL;

		assert_int_equal(ftruncate(f.fd, length), 0);
		if (length < h.data.offset) {
			assert_int_equal(open_error(f.path, &err), -EINVAL);
			continue;
		}
		assert_int_equal(perfdata_reader__open(f.path, &r, &err), 0);
		if (data_length > h.data.size)
			data_length = h.data.size;
		assert_int_equal(read_records(r), whole_records_in(bytes + h.data.offset, data_length));
		assert_int_equal(perfdata_reader__data_size(r), data_length);
		/* The header tells of more: it was cut off, and not killed. One line tells of all that is lost. */
		assert_true(data_length == h.data.size || !perfdata_reader__unfinished(r));
		assert_false(perfdata_reader__truncated(r));
		assert_true(perfdata_reader__damaged(r));
		assert_non_null(perfdata_reader__warnings(r));
		assert_null(strchr(perfdata_reader__warnings(r), '\n'));
		perfdata_reader__delete(r);
	}
	close(f.fd);
	free(bytes);
}

/* Flip some bits, or put a number there that is worth trying. */
static void mutate(u8 *bytes, size_t size, u64 *seed)
{
	static const u64 numbers[] = { 0, 1, 7, 8, 0xffff, UINT32_MAX, UINT64_MAX, 1ULL << 63, 1ULL << 40, 104 };
	int nr = 1 + random_u64(seed) % 4;

	while (nr--) {
		u64 what = random_u64(seed) % 4, at = random_u64(seed) % size;
		size_t width = 1ULL << random_u64(seed) % 4;

		if (what)
			bytes[at] ^= 1 << random_u64(seed) % 8;
		else if (at + width <= size)
			memcpy(bytes + at, &numbers[random_u64(seed) % ARRAY_SIZE(numbers)], width);
	}
}

static void a_damaged_file_never_crashes(void **state)
{
	size_t size;
	u8 *bytes = fixture_bytes(&size), *mutant = malloc(size);
	struct memory_file f = memory_file__new(bytes, size);
	u64 seed = 5, opened = 0, failed = 0;

	assert_non_null(mutant);
	for (int i = 0; i < MUTATIONS; i++) {
		struct perfdata_reader *r = NULL;
		struct errmsg err = { "" };
		int ret;

		memcpy(mutant, bytes, size);
		/* Most of the file is padding of strings: look at its head, where the structure is, more often. */
		mutate(mutant, i % 2 ? size : 1200, &seed);
		assert_int_equal(pwrite(f.fd, mutant, size, 0), size);
		if (perfdata_reader__open(f.path, &r, &err)) {
			assert_true(err.text[0]);
			failed++;
			continue;
		}
		opened++;
		ret = read_records(r);
		assert_true(ret >= 0 || ret == -EINVAL);
		perfdata_reader__delete(r);
	}
	/* Both ways were taken. */
	assert_true(opened > MUTATIONS / 10);
	assert_true(failed > MUTATIONS / 100);
	close(f.fd);
	free(mutant);
	free(bytes);
}

static void says_what_a_file_is_instead(void **state)
{
	struct file_header h;
	size_t size;
	u8 *bytes = fixture_bytes(&size);

	memcpy(&h, bytes, sizeof(h));
	refusal_says("", 0, "empty");
	refusal_says("hello", 5, "not a perf.data file");
	refusal_says("hello, this is text and not a recording", 39, "not a perf.data file");
	refusal_says("2ELIFREP\0\0\0\0\0\0\0\x68", 16, "cut off in its header");
	refusal_says("PERFFILE\x68\0\0\0\0\0\0\0", 16, "2.6.33");
	refusal_says("PERFILE2\x10\0\0\0\0\0\0\0", 16, "no events");
	refusal_says("PERFILE2\x11\0\0\0\0\0\0\0", 16, "17 bytes");
	refusal_says(bytes, 103, "cut off");
	h.features[0] |= 1ULL << HEADER_DIR_FORMAT;
	memcpy(bytes, &h, sizeof(h));
	refusal_says(bytes, size, "directory");
	free(bytes);
}

static void refuses_what_is_no_file_without_waiting(void **state)
{
	struct errmsg err;

	assert_int_equal(mkdir("dir", 0700), 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(open_error("dir", &err), -EISDIR);
	assert_int_equal(open_error("fifo", &err), -EINVAL);
	assert_int_equal(open_error("/dev/zero", &err), -EINVAL);
	assert_int_equal(open_error("not-there", &err), -ENOENT);
	assert_non_null(strstr(err.text, "not-there"));
}

static void a_killed_recording_is_read_to_its_end(void **state)
{
	struct perfdata_writer *w = start_fixture_file("killed");
	struct perfdata_reader *r = NULL;
	struct errmsg err;
	size_t size;
	u8 *bytes;

	write_fixture_records(w);
	assert_int_equal(perfdata_writer__write(w, RECORD(PERF_RECORD_SAMPLE, 1, 2, 3), 32, &err), 0);
	perfdata_writer__delete(w);
	assert_int_equal(perfdata_reader__open("killed", &r, &err), 0);
	assert_true(perfdata_reader__unfinished(r));
	assert_int_equal(read_records(r), FIXTURE_RECORDS + 1);
	assert_false(perfdata_reader__truncated(r));
	perfdata_reader__delete(r);

	bytes = read_whole("killed", &size);
	memset(bytes + size - 32, 0, 32); /* a machine that went down may leave zeroes */
	write_whole("killed", bytes, size - 4);
	assert_int_equal(perfdata_reader__open("killed", &r, &err), 0);
	assert_int_equal(read_records(r), FIXTURE_RECORDS);
	assert_true(perfdata_reader__truncated(r));
	perfdata_reader__delete(r);
	free(bytes);
}

/* Stock perf leaves data.size 0 with the bits of features that never came. */
static void feature_bits_without_a_table_mean_unfinished(void **state)
{
	struct perfdata_reader *r = NULL;
	struct file_header h;
	struct errmsg err;
	size_t size;
	u8 *bytes = fixture_bytes(&size);
	u64 data_end;

	memcpy(&h, bytes, sizeof(h));
	data_end = h.data.offset + h.data.size;
	h.data.size = 0;
	memcpy(bytes, &h, sizeof(h));
	write_whole("stock", bytes, data_end);
	assert_int_equal(perfdata_reader__open("stock", &r, &err), 0);
	assert_true(perfdata_reader__unfinished(r));
	assert_null(perfdata_reader__features(r)->hostname);
	assert_int_equal(read_records(r), FIXTURE_RECORDS);
	perfdata_reader__delete(r);
	free(bytes);
}

static void a_finished_file_may_be_without_records(void **state)
{
	struct perfdata_writer *w = start_fixture_file("none");
	struct perfdata_reader *r = NULL;
	struct errmsg err;

	add_fixture_features(w);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	perfdata_writer__delete(w);
	assert_int_equal(perfdata_reader__open("none", &r, &err), 0);
	assert_false(perfdata_reader__unfinished(r));
	assert_string_equal(perfdata_reader__features(r)->hostname, "host");
	assert_int_equal(read_records(r), 0);
	perfdata_reader__delete(r);
}

/* As perf inject (7.3) writes: the attrs at the end, without features or over the first of them. */
static void attrs_may_be_behind_the_data(void **state)
{
	static const u8 next[8]; /* what is no record */
	struct file_header h;
	struct perfdata_reader *r = NULL;
	struct errmsg err;
	size_t size, end;
	u8 *bytes = fixture_bytes(&size), *file;

	memcpy(&h, bytes, sizeof(h));
	end = h.data.offset + h.data.size;
	file = malloc(end + sizeof(next) + h.attrs.size);
	memcpy(file, bytes, end);
	memcpy(file + end, next, sizeof(next));
	memcpy(file + end + sizeof(next), bytes + h.attrs.offset, h.attrs.size);
	h.attrs.offset = end + sizeof(next);
	memset(h.features, 0, sizeof(h.features));
	memcpy(file, &h, sizeof(h));
	write_whole("attrs-last", file, end + sizeof(next) + h.attrs.size);
	assert_int_equal(perfdata_reader__open("attrs-last", &r, &err), 0);
	assert_false(perfdata_reader__unfinished(r));
	assert_int_equal(read_records(r), whole_records_in(bytes + h.data.offset, h.data.size));
	assert_false(perfdata_reader__truncated(r) || perfdata_reader__damaged(r));
	assert_null(perfdata_reader__warnings(r));
	perfdata_reader__delete(r);
	free(file);
	free(bytes);
}

static void a_section_below_the_attrs_is_left_out(void **state)
{
	struct file_section section;
	struct file_header h;
	struct perfdata_reader *r = NULL;
	struct errmsg err;
	size_t size;
	u8 *bytes = fixture_bytes(&size);

	memcpy(&h, bytes, sizeof(h));
	memcpy(&section, bytes + h.data.offset + h.data.size, sizeof(section));
	section.offset = h.attrs.offset;
	memcpy(bytes + h.data.offset + h.data.size, &section, sizeof(section));
	write_whole("overwritten", bytes, size);
	assert_int_equal(perfdata_reader__open("overwritten", &r, &err), 0);
	assert_non_null(strstr(perfdata_reader__warnings(r), "overwritten by the list of events"));
	assert_false(perfdata_reader__damaged(r));
	assert_int_equal(read_records(r), whole_records_in(bytes + h.data.offset, h.data.size));
	perfdata_reader__delete(r);
	free(bytes);
}

static void a_record_that_cannot_be_is_placed(void **state)
{
	const union perf_record *record;
	struct perfdata_reader *r = NULL;
	struct file_header h;
	struct errmsg err;
	char place[64];
	size_t size;
	u8 *bytes = fixture_bytes(&size);
	u64 pos = 0;

	memcpy(&h, bytes, sizeof(h));
	memset(bytes + h.data.offset + 56, 0, 8); /* behind the COMM record */
	write_whole("damaged", bytes, size);
	snprintf(place, sizeof(place), "offset 0x%llx:", (unsigned long long)h.data.offset + 56);
	assert_int_equal(perfdata_reader__open("damaged", &r, &err), 0);
	assert_int_equal(perfdata_reader__next(r, &pos, &record, &err), 1);
	assert_int_equal(pos, 56);
	assert_int_equal(perfdata_reader__next(r, &pos, &record, &err), -EINVAL);
	assert_non_null(strstr(err.text, place));
	perfdata_reader__delete(r);

	bytes[h.data.offset + 6] = 60; /* COMM: would put all that follow on odd addresses */
	write_whole("damaged", bytes, size);
	assert_int_equal(perfdata_reader__open("damaged", &r, &err), 0);
	pos = 0;
	assert_int_equal(perfdata_reader__next(r, &pos, &record, &err), -EINVAL);
	assert_int_equal(pos, 0);
	perfdata_reader__delete(r);
	free(bytes);
}

/* A record at this place of the data; its type tells whether it may have any size. */
static void put_record(u8 *data, u32 type, u16 size)
{
	const struct perf_event_header header = { .type = type, .size = size };

	memset(data, 0, size);
	memcpy(data, &header, sizeof(header));
}

static void samples_after_an_odd_record_are_aligned(void **state)
{
	const union perf_record *record;
	struct perfdata_reader *r = NULL;
	struct file_header h;
	struct errmsg err;
	size_t size;
	u8 *bytes = fixture_bytes(&size), *data;
	u64 pos = 0, at;
	u16 sizes[] = { 16, 12, 16, 24, 12, 0 };

	memcpy(&h, bytes, sizeof(h));
	data = bytes + h.data.offset;
	sizes[5] = h.data.size - 80;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); data += sizes[i++])
		put_record(data, sizes[i] == 12 ? PERF_RECORD_FINISHED_INIT : PERF_RECORD_SAMPLE, sizes[i]);
	write_whole("odd", bytes, size);
	assert_int_equal(perfdata_reader__open("odd", &r, &err), 0);
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		at = pos;
		assert_int_equal(perfdata_reader__next(r, &pos, &record, &err), 1);
		assert_int_equal((uintptr_t)record % 8, 0);
		assert_int_equal(record->header.size, sizes[i]);
		assert_int_equal(pos, at + sizes[i]);
		assert_int_equal(perfdata_reader__record_offset(r), h.data.offset + at);
	}
	assert_int_equal(perfdata_reader__next(r, &pos, &record, &err), 0);
	perfdata_reader__delete(r);
	free(bytes);
}

static void newer_attrs_are_read_with_a_warning(void **state)
{
	enum { NEWER = 160 };
	struct {
		struct file_header h;
		u8 attr[NEWER];
		struct file_section ids;
	} file = {
		.h = { .magic = "PERFILE2", .size = sizeof(file.h), .attr_size = NEWER + 16,
		       .attrs = { sizeof(file.h), NEWER + 16 }, .data = { sizeof(file), 0 } },
		.ids = { sizeof(file), 0 },
	};
	const struct perf_event_attr attr = { .type = 1, .size = NEWER, .config = 3 };
	struct memory_file f;
	struct perfdata_reader *r = NULL;
	struct errmsg err;
	u32 nr;

	memcpy(file.attr, &attr, sizeof(attr));
	f = memory_file__new(&file, sizeof(file));
	assert_int_equal(perfdata_reader__open(f.path, &r, &err), 0);
	assert_null(perfdata_reader__warnings(r)); /* nothing in the unknown part */
	perfdata_reader__delete(r);
	file.attr[NEWER - 1] = 1;
	assert_int_equal(pwrite(f.fd, &file, sizeof(file), 0), sizeof(file));
	assert_int_equal(perfdata_reader__open(f.path, &r, &err), 0);
	assert_int_equal(perfdata_reader__events(r, &nr)->attr.config, 3);
	assert_non_null(strstr(perfdata_reader__warnings(r), "newer"));
	perfdata_reader__delete(r);
	close(f.fd);
}

/* Thousands of events that all claim the whole file as their ids. */
static void overlapping_ids_do_not_multiply(void **state)
{
	enum { EVENTS = 4096, ENTRY = PERF_ATTR_SIZE_VER0 + 16 };
	const struct file_header h = { .magic = "PERFILE2", .size = sizeof(h), .attr_size = ENTRY,
				       .attrs = { sizeof(h), EVENTS * ENTRY }, .data = { sizeof(h) + EVENTS * ENTRY, 0 } };
	size_t size = sizeof(h) + EVENTS * ENTRY;
	u8 *bytes = calloc(1, size);

	assert_non_null(bytes);
	memcpy(bytes, &h, sizeof(h));
	for (size_t i = 0; i < EVENTS; i++) {
		const struct file_section all = { 0, size };

		memcpy(bytes + sizeof(h) + (i + 1) * ENTRY - sizeof(all), &all, sizeof(all));
	}
	refusal_says(bytes, size, "ids");
	free(bytes);
}

static void a_wrong_section_costs_a_warning_only(void **state)
{
	struct perfdata_writer *w = start_fixture_file("wrong");
	struct perfdata_reader *r = NULL;
	struct errmsg err;

	write_fixture_records(w);
	add_fixture_features(w);
	assert_int_equal(perfdata_writer__add_feature(w, HEADER_CMDLINE, "\xff\xff\xff\xff", 4, &err), 0);
	assert_int_equal(perfdata_writer__finish(w, &err), 0);
	perfdata_writer__delete(w);
	assert_int_equal(perfdata_reader__open("wrong", &r, &err), 0);
	assert_non_null(strstr(perfdata_reader__warnings(r), "CMDLINE"));
	assert_false(perfdata_features__has(perfdata_reader__features(r), HEADER_CMDLINE));
	assert_string_equal(perfdata_reader__features(r)->hostname, "host");
	assert_int_equal(read_records(r), FIXTURE_RECORDS);
	perfdata_reader__delete(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_back_what_was_written),
		cmocka_unit_test(names_follow_the_ids_not_the_order),
		cmocka_unit_test(a_file_cut_anywhere_gives_its_whole_records),
		cmocka_unit_test(a_damaged_file_never_crashes),
		cmocka_unit_test(says_what_a_file_is_instead),
		cmocka_unit_test(refuses_what_is_no_file_without_waiting),
		cmocka_unit_test(a_killed_recording_is_read_to_its_end),
		cmocka_unit_test(feature_bits_without_a_table_mean_unfinished),
		cmocka_unit_test(a_finished_file_may_be_without_records),
		cmocka_unit_test(attrs_may_be_behind_the_data),
		cmocka_unit_test(a_section_below_the_attrs_is_left_out),
		cmocka_unit_test(a_record_that_cannot_be_is_placed),
		cmocka_unit_test(samples_after_an_odd_record_are_aligned),
		cmocka_unit_test(newer_attrs_are_read_with_a_warning),
		cmocka_unit_test(overlapping_ids_do_not_multiply),
		cmocka_unit_test(a_wrong_section_costs_a_warning_only),
	};

	return cmocka_run_group_tests_name("perfdata/reader", tests, scratch__enter, scratch__leave);
}
