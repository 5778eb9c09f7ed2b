// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/perfdata/fixture.h"
#include <errno.h>

static void names_are_those_of_report_stats(void **state)
{
	static const struct {
		u32 type;
		const char *name;
	} names[] = {
		{ PERF_RECORD_MMAP, "MMAP" }, { PERF_RECORD_MMAP2, "MMAP2" }, { PERF_RECORD_COMM, "COMM" },
		{ PERF_RECORD_LOST_SAMPLES, "LOST_SAMPLES" }, { 22, "CALLCHAIN_DEFERRED" },
		{ PERF_RECORD_HEADER_ATTR, "ATTR" }, { PERF_RECORD_HEADER_FEATURE, "FEATURE" },
		{ PERF_RECORD_FINISHED_ROUND, "FINISHED_ROUND" }, { PERF_RECORD_ID_INDEX, "ID_INDEX" },
		{ PERF_RECORD_THREAD_MAP, "THREAD_MAP" }, { PERF_RECORD_SCHEDSTAT_DOMAIN, "SCHEDSTAT_DOMAIN" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(perf_record__type_name(names[i].type), names[i].name);
	for (u32 type = 1; type <= 22; type++)
		assert_non_null(perf_record__type_name(type));
	for (u32 type = PERF_RECORD_HEADER_ATTR; type < PERF_RECORD_USER_MAX; type++)
		assert_non_null(perf_record__type_name(type));
	assert_null(perf_record__type_name(0));
	assert_null(perf_record__type_name(23));
	assert_null(perf_record__type_name(PERF_RECORD_USER_MAX));
	assert_null(perf_record__type_name(UINT32_MAX));
}

static void whole_records_end_where_none_can_be(void **state)
{
	struct perf_event_header run[8] = { { .size = 8 }, { .size = 24 }, { 0 }, { 0 }, { .size = 8 } };
	const size_t size = sizeof(run);
	static const u16 wrong[] = { 0, 7, 12, 32, 65528 };

	assert_int_equal(sizeof(run[0]), 8);
	assert_int_equal(records__whole(run, 0), 0);
	assert_int_equal(records__whole(run, 5), 0);
	assert_int_equal(records__whole(run, 40), 40);
	assert_int_equal(records__whole(run, 39), 32);
	assert_int_equal(records__whole(run, 31), 8);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		run[5].size = wrong[i];
		assert_int_equal(records__whole(run, size), 40);
	}
	run[5].size = 24;
	assert_int_equal(records__whole(run, size), size);
}

/* Cut `record` to `size` bytes, in memory of just that size. */
static int check_cut(const union perf_record *record, u16 size)
{
	union perf_record *copy = malloc(size);
	int ret;

	assert_non_null(copy);
	memcpy(copy, record, size);
	copy->header.size = size;
	ret = perf_record__check(copy);
	free(copy);
	return ret;
}

static void refuses_records_without_their_fixed_members(void **state)
{
	static const struct {
		u32 type;
		u16 least;
	} sizes[] = {
		{ PERF_RECORD_FORK, 32 }, { PERF_RECORD_EXIT, 32 }, { PERF_RECORD_LOST, 24 }, { PERF_RECORD_LOST_SAMPLES, 16 },
		{ PERF_RECORD_THROTTLE, 32 }, { PERF_RECORD_SWITCH_CPU_WIDE, 16 }, { PERF_RECORD_MMAP, 48 },
		{ PERF_RECORD_MMAP2, 80 }, { PERF_RECORD_COMM, 24 }, { PERF_RECORD_CGROUP, 24 }, { PERF_RECORD_KSYMBOL, 32 },
		{ PERF_RECORD_NAMESPACES, 24 }, { PERF_RECORD_AUXTRACE, 48 }, { PERF_RECORD_ID_INDEX, 16 },
		{ PERF_RECORD_FINISHED_ROUND, 8 }, { 60, 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		union perf_record *zeroes = calloc(1, 256);

		assert_non_null(zeroes);
		zeroes->header.type = sizes[i].type;
		for (u16 size = 8; size <= 256; size += 8)
			assert_int_equal(check_cut(zeroes, size), size < sizes[i].least ? -EINVAL : 0);
		free(zeroes);
	}
}

static void refuses_strings_that_do_not_end(void **state)
{
	const union perf_record *comm = RECORD(PERF_RECORD_COMM, PAIR(1, 1), 0x0068736162626262);

	assert_int_equal(perf_record__check(comm), 0);
	comm = RECORD(PERF_RECORD_COMM, PAIR(1, 1), 0x6868736162626262);
	assert_int_equal(perf_record__check(comm), -EINVAL);
}

static void refuses_counts_beyond_the_record(void **state)
{
	assert_int_equal(perf_record__check(RECORD(PERF_RECORD_NAMESPACES, PAIR(1, 1), 2, 1, 2, 3, 4)), 0);
	assert_int_equal(perf_record__check(RECORD(PERF_RECORD_NAMESPACES, PAIR(1, 1), 3, 1, 2, 3, 4)), -EINVAL);
	assert_int_equal(perf_record__check(RECORD(PERF_RECORD_NAMESPACES, PAIR(1, 1), 1ULL << 60, 1, 2, 3, 4)), -EINVAL);
	assert_int_equal(perf_record__check(RECORD(PERF_RECORD_ID_INDEX, UINT64_MAX, 1, 2, 3, 4)), -EINVAL);
}

static void refuses_a_build_id_that_is_too_long(void **state)
{
	struct {
		struct record_mmap2 mmap2;
		char name[8];
	} r = { .mmap2.header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, sizeof(r) }, .mmap2.build_id_size = 20 };

	assert_int_equal(perf_record__check((union perf_record *)&r), 0);
	r.mmap2.build_id_size = 21;
	assert_int_equal(perf_record__check((union perf_record *)&r), -EINVAL);
	r.mmap2.header.misc = 0;
	assert_int_equal(perf_record__check((union perf_record *)&r), 0);
}

static void refuses_code_beyond_the_record(void **state)
{
	_Alignas(8) struct {
		struct record_text_poke poke;
		u8 bytes[40];
	} r = { .poke.header = { PERF_RECORD_TEXT_POKE, 0, sizeof(r.poke) + 40 } };
	const size_t room = r.poke.header.size - offsetof(struct record_text_poke, bytes);
	static const struct {
		u16 old_len, new_len; /* less room */
		int ret;
	} lens[] = { { 0, 0, 0 }, { 1, 0, -EINVAL }, { 0, 1, -EINVAL }, { 4, 4, -EINVAL }, { UINT16_MAX / 2, UINT16_MAX / 2, -EINVAL } };

	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		r.poke.old_len = room / 2 + lens[i].old_len;
		r.poke.new_len = room - room / 2 + lens[i].new_len;
		assert_int_equal(perf_record__check((union perf_record *)&r), lens[i].ret);
	}
	r.poke.old_len = r.poke.new_len = UINT16_MAX;
	assert_int_equal(perf_record__check((union perf_record *)&r), -EINVAL);
}

/* A record as the kernel writes it, with a tail of a word, and then with old bytes of two more words behind that. */
static void old_bytes_behind_a_tail_are_not_used(void **state)
{
	static const struct {
		u32 type;
		size_t body;
	} records[] = { { PERF_RECORD_KSYMBOL, 40 }, { PERF_RECORD_BPF_EVENT, 24 }, { PERF_RECORD_SWITCH, 8 } };
	const struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1 };

	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		const bool longer = records[i].type != PERF_RECORD_SWITCH;
		union {
			u64 words[8];
			union perf_record record;
		} room;
		u64 *words = room.words;
		union perf_record *record = &room.record;
		struct perf_sample id;

		memset(words, 0xff, sizeof(room.words));
		memset(words, 0, records[i].body);
		if (records[i].type == PERF_RECORD_KSYMBOL)
			strcpy(record->ksymbol.name, "bpf_prog_1234"); /* with its NUL 14 bytes, and 2 of padding */
		words[records[i].body / 8] = 4711;
		for (size_t behind = 0; behind <= 16; behind += 8) {
			record->header = (struct perf_event_header){ .type = records[i].type, .size = records[i].body + 8 + behind };
			assert_int_equal(perf_record__check(record), 0);
			assert_int_equal(perf_record__used_size(record, 8), record->header.size - (longer ? behind : 0));
			assert_int_equal(perf_sample__decode_id(&id, &attr, record), 0);
			assert_int_equal(id.time, longer || !behind ? 4711 : UINT64_MAX);
		}
		/* one that is too short for its tail is no longer than it is */
		record->header.size = records[i].body;
		assert_int_equal(perf_record__used_size(record, 8), records[i].body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_records_end_where_none_can_be),
		cmocka_unit_test(names_are_those_of_report_stats),
		cmocka_unit_test(old_bytes_behind_a_tail_are_not_used),
		cmocka_unit_test(refuses_records_without_their_fixed_members),
		cmocka_unit_test(refuses_strings_that_do_not_end),
		cmocka_unit_test(refuses_counts_beyond_the_record),
		cmocka_unit_test(refuses_a_build_id_that_is_too_long),
		cmocka_unit_test(refuses_code_beyond_the_record),
	};

	return cmocka_run_group_tests_name("perfdata/record", tests, NULL, NULL);
}
