// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/compress.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zstd.h>
#include "util/perfdata/record.h"

/* What was written: the records unpacked again, as readers do it, and how. */
struct written {
	char *bytes;
	size_t size;
	unsigned int nr, nr_packed;
	ZSTD_DStream *zstd; /* one for all records, as in perf */
	int fail_at;	    /* call; 0: none */
};

static void unpack(struct written *w, const struct perf_event_header *record)
{
	ZSTD_inBuffer in = { record + 1, record->size - sizeof(*record), 0 };
	ZSTD_outBuffer out = { w->bytes + w->size, COMPRESS_ROOM, 0 };

	while (in.pos < in.size)
		assert_false(ZSTD_isError(ZSTD_decompressStream(w->zstd, &out, &in)));
	w->size += out.pos;
}

static int take(void *data, const void *records, size_t size)
{
	const struct perf_event_header *record = records;
	struct written *w = data;

	if ((int)++w->nr == w->fail_at)
		return -ENOSPC;
	assert_int_equal(size, record->size);
	assert_int_equal(size % 8, 0);
	if (record->type == PERF_RECORD_COMPRESSED) {
		w->nr_packed++;
		unpack(w, record);
	} else {
		memcpy(w->bytes + w->size, records, size);
		w->size += size;
	}
	return 0;
}

/* Records of the sizes given, again and again up to nr, filled with what repeats or with noise. */
static char *make_records(const u16 *sizes, size_t nr_sizes, size_t nr, bool noise, size_t *size)
{
	char *bytes = calloc(nr, UINT16_MAX), *at = bytes;
	u32 random = 1;

	for (size_t i = 0; i < nr; i++) {
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = sizes[i % nr_sizes] };

		memcpy(at, &header, sizeof(header));
		for (u16 b = sizeof(header); b < header.size; b++) {
			random = random * 1664525 + 1013904223;
			at[b] = noise ? random >> 24 : b % 16;
		}
		at += header.size;
	}
	*size = at - bytes;
	return bytes;
}

static struct written pack_again(const char *records, size_t size, int fail_at, int want)
{
	struct written w = { .bytes = malloc(size + COMPRESS_ROOM), .zstd = ZSTD_createDStream(), .fail_at = fail_at };

	assert_int_equal(records__compress(records, size, 1, take, &w), want);
	if (!want) {
		assert_int_equal(w.size, size);
		assert_memory_equal(w.bytes, records, size);
	}
	ZSTD_freeDStream(w.zstd);
	free(w.bytes);
	return w;
}

static void records_come_back_as_they_were(void **state)
{
	static const u16 sizes[] = { 8, 48, 128, 1000, 56 };
	struct written w;
	size_t size;
	char *records = make_records(sizes, 5, 5000, false, &size);

	w = pack_again(records, size, 0, 0);
	assert_int_equal(w.nr, w.nr_packed);
	assert_in_range(w.nr, size / COMPRESS_UNPACKED, size / COMPRESS_UNPACKED + 1);
	free(records);
}

static void what_hardly_packs_takes_more_records(void **state)
{
	static const u16 sizes[] = { 4096, 40000 };
	struct written w;
	size_t size;
	char *records = make_records(sizes, 2, 20, true, &size);

	w = pack_again(records, size, 0, 0);
	assert_true(w.nr >= size / UINT16_MAX);
	free(records);
}

static void what_does_not_pack_goes_as_it_is(void **state)
{
	static const u16 largest[] = { 65528 };
	struct written w;
	size_t size;
	char *records = make_records(largest, 1, 3, true, &size);

	w = pack_again(records, size, 0, 0);
	assert_int_equal(w.nr, 3);
	assert_int_equal(w.nr_packed, 0);
	free(records);
}

static void nothing_is_nothing(void **state)
{
	assert_int_equal(pack_again("", 0, 0, 0).nr, 0);
}

static void an_error_of_write_ends_it(void **state)
{
	static const u16 sizes[] = { 800 };
	size_t size;
	char *records = make_records(sizes, 1, 1000, false, &size);

	assert_int_equal(pack_again(records, size, 2, -ENOSPC).nr, 2);
	free(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_back_as_they_were),
		cmocka_unit_test(what_hardly_packs_takes_more_records),
		cmocka_unit_test(what_does_not_pack_goes_as_it_is),
		cmocka_unit_test(nothing_is_nothing),
		cmocka_unit_test(an_error_of_write_ends_it),
	};

	return cmocka_run_group_tests_name("compress", tests, NULL, NULL);
}
