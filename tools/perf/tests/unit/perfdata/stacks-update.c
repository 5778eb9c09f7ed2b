// SPDX-License-Identifier: GPL-2.0
/* Records that say how user stacks ended, found from the end of a file. */
#include "tests/unit/perfdata/fixture.h"
#include "util/perfdata/stacks-update.h"
#include <byteswap.h>
#include <errno.h>

static _Alignas(u64) u8 data[1 << 20];
static u64 size;

static void put(u64 id, const char *text)
{
	size_t more = stacks_update__encode((union perf_record *)(data + size), id, text);

	assert_true(more && more % 8 == 0);
	assert_int_equal(perf_record__check((const union perf_record *)(data + size)), 0);
	size += more;
}

static void put_marker(void)
{
	const struct perf_event_header marker = { .type = PERF_RECORD_FINISHED_ROUND, .size = sizeof(marker) };

	memcpy(data + size, &marker, sizeof(marker));
	size += sizeof(marker);
}

static void assert_found(bool swap, const char *want)
{
	char *text;

	assert_int_equal(stacks_update__find(data, size, swap, &text), 0);
	if (want)
		assert_string_equal(text, want);
	else
		assert_null(text);
	free(text);
}

static void lines_are_found_from_the_end(void **state)
{
	size = 0;
	assert_found(false, NULL);
	put(1, "too early");
	put_marker();
	assert_found(false, NULL);
	put(7, "cycles: 10 user stacks, 9 whole");
	put(8, "page-faults: 3 user stacks, 3 whole");
	assert_found(false, "cycles: 10 user stacks, 9 whole\npage-faults: 3 user stacks, 3 whole");
	put_marker();
	assert_found(false, NULL);
}

static void other_machines_lines_are_found(void **state)
{
	struct record_event_update *update = (void *)data;
	u16 whole;

	size = 0;
	put(7, "cycles: 1 user stacks");
	whole = bswap_16(update->header.size);
	update->header = (struct perf_event_header){ .type = bswap_32(PERF_RECORD_EVENT_UPDATE), .size = whole };
	update->what = bswap_64(update->what);
	memcpy(data + size - sizeof(whole), &whole, sizeof(whole));
	assert_found(true, "cycles: 1 user stacks");
	assert_found(false, NULL);
}

static void a_stream_s_records_are_added(void **state)
{
	char *text = NULL;
	u64 first;

	size = 0;
	put(1, "one");
	first = size;
	put(2, "two");
	put_marker();
	assert_int_equal(stacks_update__add(&text, (const union perf_record *)data), 0);
	assert_int_equal(stacks_update__add(&text, (const union perf_record *)(data + first)), 0);
	assert_int_equal(stacks_update__add(&text, (const union perf_record *)(data + size - 8)), 0);
	assert_string_equal(text, "one\ntwo");
	free(text);
}

/* Whatever byte is wrong: no crash, and nothing is read beyond the records. */
static void damage_is_no_crash(void **state)
{
	char *text;
	u64 whole;

	size = 0;
	put(1, "one");
	whole = size;
	for (u64 i = 0; i < whole; i++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			data[i] ^= 1 << bit;
			assert_int_equal(stacks_update__find(data, whole, false, &text), 0);
			free(text);
			data[i] ^= 1 << bit;
		}
	}
	for (u64 i = 0; i < whole; i++) {
		assert_int_equal(stacks_update__find(data + i, whole - i, false, &text), 0);
		assert_true(!i == !!text);
		free(text);
	}
}

/* A file of nothing else costs no more than its text may take. */
static void many_are_bounded(void **state)
{
	char *text;

	for (size = 0; size < sizeof(data) - 64;)
		put(1, "x");
	assert_int_equal(stacks_update__find(data, size, false, &text), 0);
	assert_in_range(strlen(text), 10000, 17000);
	free(text);
}

static void long_texts_are_no_record(void **state)
{
	char *text = calloc(1, 70000);

	memset(text, 'x', 69999);
	assert_int_equal(stacks_update__encode((union perf_record *)data, 1, text), 0);
	text[65400] = '\0';
	size = 0;
	put(1, text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found_from_the_end),
		cmocka_unit_test(other_machines_lines_are_found),
		cmocka_unit_test(a_stream_s_records_are_added),
		cmocka_unit_test(damage_is_no_crash),
		cmocka_unit_test(many_are_bounded),
		cmocka_unit_test(long_texts_are_no_record),
	};

	return cmocka_run_group_tests_name("perfdata/stacks-update", tests, NULL, NULL);
}
