// SPDX-License-Identifier: GPL-2.0
/* Files of perf record -z: records in a zstd stream that is cut into COMPRESSED records of any size. */
#include "tests/unit/perfdata/fixture.h"
#include <errno.h>
#include <zstd.h>
#include "util/perfdata/chunks.h"

#define NR_RECORDS 3000
#define MAX_PART 1001 /* compressed bytes in a record; odd, so that what follows is not aligned */

struct sample_record {
	struct perf_event_header header;
	u64 number, more[4];
};

static void append(u8 **to, const void *data, size_t size)
{
	memcpy(*to, data, size);
	*to += size;
}

/* One COMPRESSED or COMPRESSED2 record. */
static void append_part(u8 **to, const u8 *part, size_t size, bool padded)
{
	struct perf_event_header header = { .type = PERF_RECORD_COMPRESSED, .size = sizeof(header) + size };
	u64 told = size, pad = 0;

	if (padded) {
		header.type = PERF_RECORD_COMPRESSED2;
		header.size = sizeof(header) + sizeof(told) + ALIGN_UP(size, 8);
	}
	append(to, &header, sizeof(header));
	if (padded)
		append(to, &told, sizeof(told));
	append(to, part, size);
	if (padded)
		append(to, &pad, ALIGN_UP(size, 8) - size);
}

/* Samples 0, 1, 2, ..., compressed in one stream; parts end anywhere, and behind each stands a FINISHED_ROUND. */
static size_t make_data(u8 *data, bool padded)
{
	static u8 plain[NR_RECORDS * sizeof(struct sample_record)], packed[sizeof(plain) + 4096];
	struct perf_event_header round = { .type = PERF_RECORD_FINISHED_ROUND, .size = sizeof(round) };
	ZSTD_CStream *stream = ZSTD_createCStream();
	ZSTD_inBuffer in = { .src = plain };
	ZSTD_outBuffer out = { .dst = packed, .size = sizeof(packed) };
	u64 seed = 1;
	u8 *to = data;

	for (u64 i = 0; i < NR_RECORDS; i++) {
		struct sample_record r = { .header = { PERF_RECORD_SAMPLE, 1, sizeof(r) }, .number = i,
					   .more = { random_u64(&seed), 0, random_u64(&seed), i } };

		memcpy(plain + i * sizeof(r), &r, sizeof(r));
	}
	assert_false(ZSTD_isError(ZSTD_initCStream(stream, 1)));
	while (in.pos < sizeof(plain)) { /* as much as a ring has at a time */
		in.size = in.pos + 7777 < sizeof(plain) ? in.pos + 7777 : sizeof(plain);
		assert_false(ZSTD_isError(ZSTD_compressStream(stream, &out, &in)));
		assert_int_equal(ZSTD_flushStream(stream, &out), 0);
	}
	ZSTD_freeCStream(stream);
	for (size_t at = 0; at < out.pos; at += MAX_PART) {
		append_part(&to, packed + at, out.pos - at < MAX_PART ? out.pos - at : MAX_PART, padded);
		append(&to, &round, sizeof(round));
	}
	return to - data;
}

/* The fixture's file, with these data instead of its own. */
static struct perfdata_reader *open_with(const u8 *data, size_t size)
{
	struct perfdata_writer *w = start_fixture_file("compressed");
	struct perfdata_reader *r = NULL;
	struct errmsg err;
	FILE *f;

	perfdata_writer__delete(w);
	f = fopen("compressed", "a");
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(perfdata_reader__open("compressed", &r, &err), 0);
	return r;
}

static void read_all(const u8 *data, size_t size)
{
	struct perfdata_reader *r = open_with(data, size);
	const union perf_record *record;
	u64 pos = 0, nr = 0, rounds = 0, packed = 0;
	struct errmsg err;
	int ret;

	while ((ret = perfdata_reader__next(r, &pos, &record, &err)) > 0) {
		assert_int_equal((uintptr_t)record % 8 && record->header.type != PERF_RECORD_COMPRESSED, 0);
		if (record->header.type == PERF_RECORD_SAMPLE)
			assert_int_equal(((const struct sample_record *)record)->number, nr++);
		rounds += record->header.type == PERF_RECORD_FINISHED_ROUND;
		packed += record->header.type == PERF_RECORD_COMPRESSED || record->header.type == PERF_RECORD_COMPRESSED2;
		if (nr % 100 == 0)
			perfdata_reader__release(r, pos > 4096 ? pos - 4096 : 0);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(nr, NR_RECORDS);
	assert_true(packed > 10);
	assert_int_equal(rounds, packed);
	assert_false(perfdata_reader__truncated(r));
	perfdata_reader__delete(r);
}

static u8 data[1 << 20];

static void records_come_out_as_they_went_in(void **state)
{
	read_all(data, make_data(data, false));
}

static void padded_ones_too(void **state)
{
	read_all(data, make_data(data, true));
}

static void a_cut_stream_is_read_to_its_end(void **state)
{
	size_t size = make_data(data, true);

	for (size_t cut = size / 2; cut < size; cut += 977) {
		struct perfdata_reader *r = open_with(data, cut);
		const union perf_record *record;
		struct errmsg err;
		u64 pos = 0, nr = 0;
		int ret;

		while ((ret = perfdata_reader__next(r, &pos, &record, &err)) > 0)
			nr += record->header.type == PERF_RECORD_SAMPLE;
		assert_int_equal(ret, 0);
		assert_in_range(nr, 1, NR_RECORDS - 1);
		perfdata_reader__delete(r);
	}
}

/* Any byte may be wrong: there is an end, and no read behind what there is. */
static void damage_is_no_crash(void **state)
{
	size_t size = make_data(data, false);
	u64 seed = 7, failed = 0;

	for (int i = 0; i < 300; i++) {
		size_t at = random_u64(&seed) % size;
		u8 old = data[at];
		struct perfdata_reader *r;
		const union perf_record *record;
		struct errmsg err;
		u64 pos = 0;
		int ret;

		data[at] ^= 1 << random_u64(&seed) % 8;
		r = open_with(data, size);
		while ((ret = perfdata_reader__next(r, &pos, &record, &err)) > 0)
			assert_true(record->header.size >= sizeof(record->header));
		failed += ret < 0;
		perfdata_reader__delete(r);
		data[at] = old;
	}
	assert_true(failed > 0);
}

static const struct sample_record sample = { .header = { PERF_RECORD_SAMPLE, 1, sizeof(sample) } };

/* One compressed record with this record mib times 25,000 in it, which is a MiB or more. Returns its size. */
static size_t make_bomb(const void *record, size_t size, u32 mib)
{
	static u8 plain[25000 * sizeof(sample)], packed[60 << 10];
	ZSTD_CStream *stream = ZSTD_createCStream();
	ZSTD_outBuffer out = { .dst = packed, .size = sizeof(packed) };
	u8 *to = data;

	for (u32 i = 0; i < 25000; i++)
		memcpy(plain + i * size, record, size);
	assert_false(ZSTD_isError(ZSTD_initCStream(stream, 3)));
	for (u32 i = 0; i < mib; i++) {
		ZSTD_inBuffer in = { .src = plain, .size = 25000 * size };

		while (in.pos < in.size) {
			assert_false(ZSTD_isError(ZSTD_compressStream(stream, &out, &in)));
			assert_true(out.pos < out.size);
		}
	}
	assert_int_equal(ZSTD_flushStream(stream, &out), 0);
	ZSTD_freeCStream(stream);
	append_part(&to, packed, out.pos, true);
	return to - data;
}

/* Returns how many records there were; what __next() returned at the end goes to ret. */
static u64 read_bomb(size_t size, bool cut, bool *was_full, int *ret, struct errmsg *err)
{
	struct perfdata_reader *r = open_with(data, size);
	const union perf_record *record;
	u64 pos = 0, nr = 0;

	*was_full = false;
	while ((*ret = perfdata_reader__next(r, &pos, &record, err)) > 0) {
		nr++;
		if (!perfdata_reader__is_full(r, 0))
			continue;
		*was_full = true;
		if (cut)
			perfdata_reader__cut_round(r, true);
		if (cut)
			assert_false(perfdata_reader__is_full(r, 20 << 20)); /* a piece or two are left */
	}
	assert_int_equal(cut && *was_full, perfdata_reader__warnings(r) && strstr(perfdata_reader__warnings(r), "between two rounds"));
	perfdata_reader__delete(r);
	return nr;
}

static void much_in_one_record_is_unpacked_piece_by_piece(void **state)
{
	struct errmsg err = { "" };
	bool was_full;
	int ret;

	for (u32 cut = 0; cut < 2; cut++) {
		assert_int_equal(read_bomb(make_bomb(&sample, sizeof(sample), 10), cut, &was_full, &ret, &err), 10 * 25000 + 1);
		assert_int_equal(ret, 0);
		assert_false(was_full);
		assert_int_equal(read_bomb(make_bomb(&sample, sizeof(sample), 60), cut, &was_full, &ret, &err), 60 * 25000 + 1);
		assert_int_equal(ret, 0);
		assert_true(was_full);
	}
}

static void bombs_end(void **state)
{
	const struct record_fork fork = { .header = { PERF_RECORD_FORK, 0, sizeof(fork) } };
	struct errmsg err = { "" };
	bool was_full;
	int ret;

	assert_true(read_bomb(make_bomb(&sample, sizeof(sample), 400), true, &was_full, &ret, &err) >= 250 * 25000);
	assert_int_equal(ret, -EINVAL);
	assert_non_null(strstr(err.text, "MiB, which no recording does"));
	assert_in_range(read_bomb(make_bomb(&fork, sizeof(fork), 20), true, &was_full, &ret, &err), 4 * 25000, 6 * 25000);
	assert_int_equal(ret, -EINVAL);
	assert_non_null(strstr(err.text, "records of tasks and maps unpack"));
}

/* Each of them alone would do. */
static void bombs_are_counted_together(void **state)
{
	const size_t size = 200 << 20;
	u8 *zeros = calloc(1, size), packed[32 << 10];
	struct chunks *c = chunks__new();
	struct errmsg err = { "" };
	size_t len;
	int ret;

	assert_non_null(zeros);
	len = ZSTD_compress(packed, sizeof(packed), zeros, size, 1);
	assert_false(ZSTD_isError(len));
	free(zeros);
	for (u64 i = 0; i < 2; i++) {
		bool in_stream;

		assert_int_equal(chunks__restart(c, &err), 0); /* else what is left would go on in the next one */
		assert_int_equal(chunks__decompress(c, packed, len, i * len, &err), 0);
		do { /* zeros are no records: all is taken at once */
			chunks__next(c, &in_stream);
			ret = chunks__more(c, &err);
			chunks__release(c, UINT64_MAX);
			assert_in_range(chunks__in_use(c), 0, 4 << 20);
		} while (ret > 0);
		assert_int_equal(ret, i ? -EINVAL : 0);
	}
	assert_non_null(strstr(err.text, "MiB, which no recording does"));
	chunks__delete(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_out_as_they_went_in),
		cmocka_unit_test(padded_ones_too),
		cmocka_unit_test(a_cut_stream_is_read_to_its_end),
		cmocka_unit_test(damage_is_no_crash),
		cmocka_unit_test(much_in_one_record_is_unpacked_piece_by_piece),
		cmocka_unit_test(bombs_end),
		cmocka_unit_test(bombs_are_counted_together),
	};

	return cmocka_run_group_tests_name("perfdata/compressed", tests, scratch__enter, scratch__leave);
}
