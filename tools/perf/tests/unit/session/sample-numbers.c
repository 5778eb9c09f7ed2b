// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/event/attr-flags.h"
#include "util/session/sample-numbers.h"

#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define MAX_WORDS 8

struct sample_record {
	struct perf_event_header header;
	u64 ip;
	u32 pid, tid;
	u64 time, period, nr;
	u64 word[MAX_WORDS];
};

static struct session_events events;
static struct sample_numbers *numbers;

static int begin_with(u64 sample_type, enum session_detail detail, enum session_ids which)
{
	static struct perfdata_event event;
	struct errmsg err;

	event = (struct perfdata_event){ .attr = { .sample_type = sample_type, .sample_period = 3, .size = PERF_ATTR_SIZE_VER5 } };
	memset(&events, 0, sizeof(events));
	assert_int_equal(session_events__init(&events, &event, 1, NULL, &err), 0);
	numbers = sample_numbers__new(&events, detail, which);
	return numbers ? 0 : -1;
}

static int begin_of(u64 sample_type, enum session_detail detail)
{
	return begin_with(sample_type, detail, SESSION_IDS);
}

static int begin(void **state)
{
	return begin_of(SAMPLE_TYPE, SESSION_CHAINS);
}

static int end(void **state)
{
	sample_numbers__delete(numbers);
	session_events__exit(&events);
	return 0;
}

static struct sample_record make(u64 ip, u32 pid, const u64 *word, u64 nr)
{
	struct sample_record r = { .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(r) - (MAX_WORDS - nr) * sizeof(u64) },
				   .ip = ip, .pid = pid, .tid = pid, .period = 5, .nr = nr };

	memcpy(r.word, word, nr * sizeof(u64));
	return r;
}

static struct numbered_sample sample_of(const struct sample_record *record)
{
	struct order_item item = { .record = (const void *)record };
	struct numbered_sample sample;

	sample_numbers__find(numbers, &item, 1, &sample);
	return sample;
}

static struct stack_parts parts_of(const struct sample_record *record)
{
	return sample_of(record).parts;
}

#define WORDS(...) (const u64[]){ __VA_ARGS__ }, sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64)
#define PARTS(ip, pid, ...) parts_of_made(ip, pid, WORDS(__VA_ARGS__))

static struct stack_parts parts_of_made(u64 ip, u32 pid, const u64 *word, u64 nr)
{
	const struct sample_record record = make(ip, pid, word, nr);

	return parts_of(&record);
}

static void what_is_alike_has_one_number(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record other = make(0x10, 7, word, 3);
	struct numbered_sample first = sample_of(&other), again;

	other.tid = 8;
	other.time = 99;
	other.period = 6;
	again = sample_of(&other);
	assert_int_not_equal(first.parts.place, 0);
	assert_int_equal(again.parts.place, first.parts.place);
	assert_int_equal(again.parts.callers, first.parts.callers);
	assert_int_equal(first.period, 5);
	assert_int_equal(again.period, 6);
	assert_int_equal(again.tid, 8);
}

static void what_differs_has_another_number(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record kernel = make(0x10, 7, word, 3);
	struct stack_parts seen[7];

	kernel.header.misc = PERF_RECORD_MISC_KERNEL;
	seen[0] = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20);
	seen[1] = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20, 0x30);
	seen[2] = PARTS(0x11, 7, PERF_CONTEXT_USER, 0x10, 0x20);
	seen[3] = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x21);
	seen[4] = PARTS(0x10, 7, PERF_CONTEXT_KERNEL, 0x10, 0x20);
	seen[5] = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10);
	seen[6] = parts_of(&kernel);
	for (u32 i = 0; i < ARRAY_SIZE(seen); i++) {
		assert_int_not_equal(seen[i].place, 0);
		assert_int_not_equal(seen[i].callers, 0);
		for (u32 j = 0; j < i; j++)
			assert_false(seen[i].place == seen[j].place && seen[i].callers == seen[j].callers);
	}
}

static void callers_are_what_is_behind_the_address(void **state)
{
	struct stack_parts a = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20), b = PARTS(0x11, 7, PERF_CONTEXT_USER, 0x11, 0x20);
	struct stack_parts bare = PARTS(0x10, 7, 0x10, 0x20), bare_too = PARTS(0x11, 7, 0x11, 0x20);

	assert_int_not_equal(a.place, b.place);
	assert_false(a.apart);
	assert_int_equal(a.callers, b.callers);
	assert_int_not_equal(bare.callers, a.callers);
	assert_int_equal(bare.callers, bare_too.callers);
	assert_int_not_equal(PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x30).callers, a.callers);
}

static void places_are_the_same_whatever_called_them(void **state)
{
	struct stack_parts a = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20), b = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x30);
	struct stack_parts other = PARTS(0x11, 7, PERF_CONTEXT_USER, 0x11, 0x20), process = PARTS(0x10, 8, PERF_CONTEXT_USER, 0x10, 0x20);

	assert_int_equal(a.place, b.place);
	assert_int_not_equal(a.callers, b.callers);
	assert_int_not_equal(a.place, other.place);
	assert_int_equal(a.callers, other.callers);
	/* in another process, too: whether its maps are the same is not told by numbers */
	assert_int_equal(a.place, process.place);
	assert_int_equal(a.callers, process.callers);
}

static void kernel_chains_are_told(void **state)
{
	const u64 word[] = { PERF_CONTEXT_KERNEL, 0x10, 0x20 };
	struct sample_record kernel = make(0x10, 7, word, 3), bare = make(0x10, 7, word + 1, 2);

	kernel.header.misc = bare.header.misc = PERF_RECORD_MISC_KERNEL;
	assert_true(parts_of(&kernel).kernel_callers);
	assert_true(parts_of(&bare).kernel_callers);
	assert_true(PARTS(0x10, 7, PERF_CONTEXT_KERNEL, 0x10, 0x20).kernel_callers);
	assert_false(PARTS(0x10, 7, PERF_CONTEXT_KERNEL, 0x10, 0x20, PERF_CONTEXT_USER, 0x30).kernel_callers);
	assert_false(PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20).kernel_callers);
	assert_false(PARTS(0x10, 7, 0x10, 0x20).kernel_callers);
	kernel = make(0x10, 7, (const u64[]){ 0x10, 0x20, PERF_CONTEXT_USER, 0x30 }, 4);
	kernel.header.misc = PERF_RECORD_MISC_KERNEL;
	assert_false(parts_of(&kernel).kernel_callers);
}

/* Where the sample was is not where its chain begins, as hardware may have it, or what begins it is of another mode, or nothing does. */
static void a_chain_may_begin_elsewhere(void **state)
{
	struct stack_parts a = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20), elsewhere = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x12, 0x20);
	struct stack_parts mode = PARTS(0x10, 7, PERF_CONTEXT_KERNEL, 0x10, 0x20), nowhere = PARTS(0x10, 7, PERF_CONTEXT_USER);

	assert_true(elsewhere.apart && mode.apart && nowhere.apart);
	assert_int_equal(elsewhere.callers, a.callers);
	assert_int_not_equal(elsewhere.place, a.place);
	assert_int_not_equal(mode.place, a.place);
	assert_int_not_equal(nowhere.place, a.place);
	assert_int_equal(PARTS(0x10, 7, PERF_CONTEXT_USER, 0x12, 0x30).place, elsewhere.place);
}

/* Of 130,000 places some have equal hashes of 32 bits. */
static void where_a_chain_begins_is_told_apart(void **state)
{
	u32 first = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x100, 0x20).place;

	for (u32 i = 1; i < 130000; i++)
		assert_int_equal(PARTS(0x10, 7, PERF_CONTEXT_USER, 0x100 + i, 0x20).place, first + i);
}

/* Then nothing is said of where the sample was: a marker in place of an address, or the mode of a guest. */
static void what_only_looks_like_the_place_is_apart(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record guest = make(0x10, 7, word, 3);

	assert_true(PARTS(PERF_CONTEXT_USER, 7, PERF_CONTEXT_USER, PERF_CONTEXT_USER, 0x20).apart);
	guest.header.misc = PERF_RECORD_MISC_GUEST_USER;
	assert_true(parts_of(&guest).apart);
}

static void the_cpu_is_told_where_there_is_one(void **state)
{
	struct {
		struct perf_event_header header;
		u64 ip;
		u32 pid, tid;
		u64 time, id;
		u32 cpu, unused;
		u64 nr, word[2];
	} record = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(record) }, .ip = 0x10, .cpu = 5, .nr = 2, .word = { 0x10, 0x20 } };
	const u64 type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN;
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	const struct sample_record without = make(0x10, 7, word, 3);

	assert_int_equal(sample_of(&without).cpu, 0);
	assert_int_equal(sample_of(&without).pid, 7);
	end(NULL);
	assert_int_equal(begin_of(type, SESSION_CHAINS), 0);
	assert_int_equal(sample_of((const void *)&record).cpu, 5);
	assert_int_equal(sample_of((const void *)&record).period, 3);
}

static void what_cannot_be_told_has_none(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record longer = make(0x10, 7, word, 3), shorter = longer, comm = longer;

	longer.nr++;
	shorter.nr--;
	comm.header.type = PERF_RECORD_COMM;
	assert_int_equal(parts_of(&longer).place, 0);
	assert_int_equal(parts_of(&shorter).place, 0);
	assert_int_equal(parts_of(&comm).place, 0);
	/* the rest of such a chain comes later */
	assert_int_equal(PARTS(0x10, 7, PERF_CONTEXT_KERNEL, 0x10, PERF_CONTEXT_USER_DEFERRED_, 77).place, 0);
	end(NULL);
	assert_int_equal(begin_of(SAMPLE_TYPE | PERF_SAMPLE_RAW, SESSION_CHAINS), 0);
	assert_int_equal(PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20).place, 0);
}

static void chains_that_nobody_reads_are_all_the_same(void **state)
{
	struct stack_parts a, b, other;

	end(NULL);
	assert_int_equal(begin_of(SAMPLE_TYPE, SESSION_PLACES), 0);
	a = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20);
	b = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x12);
	other = PARTS(0x11, 7, PERF_CONTEXT_USER, 0x10, 0x20);
	assert_int_not_equal(a.place, 0);
	assert_true(a.no_chain);
	assert_int_equal(b.place, a.place);
	assert_int_equal(b.callers, a.callers);
	assert_int_not_equal(other.place, a.place);
}

static void places_that_nobody_reads_are_one(void **state)
{
	struct stack_parts a, b;

	end(NULL);
	assert_int_equal(begin_of(SAMPLE_TYPE, SESSION_ADDRESSES), 0);
	a = PARTS(0x10, 7, PERF_CONTEXT_USER, 0x10);
	b = PARTS(0x11, 7, PERF_CONTEXT_USER, 0x11);
	assert_int_not_equal(a.place, 0);
	assert_int_equal(b.place, a.place);
	/* a repeat is told by its function and callers, not by its place */
	assert_int_equal(b.callers, a.callers);
}

static void events_without_chains_have_places(void **state)
{
	struct {
		struct perf_event_header header;
		u64 ip;
		u32 pid, tid;
		u64 time, period;
	} record = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(record) }, .ip = 0x10, .period = 9 }, longer = record;
	struct numbered_sample sample;

	end(NULL);
	assert_int_equal(begin_of(SAMPLE_TYPE & ~(u64)PERF_SAMPLE_CALLCHAIN, SESSION_CHAINS), 0);
	sample = sample_of((const void *)&record);
	assert_int_not_equal(sample.parts.place, 0);
	assert_true(sample.parts.no_chain);
	assert_int_equal(sample.period, 9);
	longer.header.size -= sizeof(u64);
	assert_int_equal(parts_of((const void *)&longer).place, 0);
}

/* A sample with a chain of nr_chain words, and raw data of that size. */
static struct stack_parts parts_of_raw(u64 nr_chain, u32 size, u32 data)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, size | (u64)data << 32 };
	struct sample_record record = make(0x10, 7, word, 3);

	record.nr = nr_chain;
	return parts_of(&record);
}

static void raw_data_tells_callers_apart_for_who_asks(void **state)
{
	struct stack_parts a, b;

	end(NULL);
	assert_int_equal(begin_with(SAMPLE_TYPE | PERF_SAMPLE_RAW, SESSION_CHAINS, SESSION_IDS_OF_RAW), 0);
	a = parts_of_raw(2, 4, 1);
	b = parts_of_raw(2, 4, 2);
	assert_int_not_equal(a.place, 0);
	assert_false(a.apart);
	assert_int_equal(b.place, a.place);
	assert_int_not_equal(b.callers, a.callers);
	assert_int_equal(parts_of_raw(2, 4, 1).callers, a.callers);
	assert_int_equal(parts_of_raw(2, 5, 1).place, 0);
	assert_int_equal(parts_of_raw(3, 4, 1).place, 0);
	assert_int_equal(parts_of_raw(4, 4, 1).place, 0);
}

/* The same words, of which the last of one chain is the size of the other's raw data. */
static void a_caller_is_no_raw_data(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 2 * sizeof(u64) + 4, sizeof(u64) + 4, 0 };
	struct sample_record longer = make(0x10, 7, word, 5), shorter = longer;
	struct stack_parts a, b;

	end(NULL);
	assert_int_equal(begin_with(SAMPLE_TYPE | PERF_SAMPLE_RAW, SESSION_CHAINS, SESSION_IDS_OF_RAW), 0);
	longer.nr = 3;
	shorter.nr = 2;
	a = parts_of(&longer);
	b = parts_of(&shorter);
	assert_int_not_equal(a.callers, 0);
	assert_int_not_equal(b.callers, 0);
	assert_int_not_equal(a.callers, b.callers);
}

static void raw_data_that_nobody_reads_tells_nothing_apart(void **state)
{
	struct stack_parts a, b;

	for (u32 i = 0; i < 2; i++) {
		end(NULL);
		assert_int_equal(begin_with(SAMPLE_TYPE | PERF_SAMPLE_RAW, i ? SESSION_CHAINS : SESSION_PLACES, SESSION_IDS_BUT_RAW), 0);
		a = parts_of_raw(2, 4, 1);
		b = parts_of_raw(2, 4, 2);
		assert_int_not_equal(a.place, 0);
		assert_int_equal(b.place, a.place);
		assert_int_equal(b.callers, a.callers);
		assert_int_equal(parts_of_raw(2, 5, 1).place, 0);
	}
}

/* More than there is room for: numbers begin anew, and nothing is taken for what it is not. */
static void numbers_begin_anew_when_there_are_too_many(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record record = make(0x10, 7, word, 3);
	struct order_item item = { .record = (const void *)&record };
	struct numbered_sample sample;
	u32 last = 0, begun = 0;

	for (u64 i = 0; i < 1200000; i++) {
		record.ip = record.word[1] = i;
		if (sample_numbers__find(numbers, &item, 1, &sample)) {
			begun++;
			last = 0;
		}
		assert_true(sample.parts.place == last + 1 || !sample.parts.place);
		last = sample.parts.place;
	}
	assert_int_equal(begun, 9);
}

/* What else may be in a sample, or come later, tells samples apart that have equal numbers. */
static void events_are_covered_as_a_whole(void **state)
{
	static const struct {
		u64 sample_type;
		bool defers, covered;
	} want[] = {
		{ SAMPLE_TYPE, false, true },
		{ SAMPLE_TYPE, true, false },
		{ SAMPLE_TYPE | PERF_SAMPLE_ADDR, false, false },
		{ PERF_SAMPLE_TIME, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		struct perfdata_event event = { .attr = { .sample_type = want[i].sample_type, .size = PERF_ATTR_SIZE_VER5 } };
		struct errmsg err;

		if (want[i].defers)
			attr__set_flags(&event.attr, ATTR_FLAG_DEFER_CALLCHAIN);
		memset(&events, 0, sizeof(events));
		assert_int_equal(session_events__init(&events, &event, 1, NULL, &err), 0);
		numbers = sample_numbers__new(&events, SESSION_CHAINS, SESSION_IDS);
		assert_non_null(numbers);
		assert_int_equal(sample_numbers__cover(numbers, 0), want[i].covered);
		end(state);
	}
}

/* Get numbers for samples with these callers. Returns how many times numbers began anew. */
static u32 number_callers(u64 first, u64 nr)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record record = make(0x10, 7, word, 3);
	struct order_item item = { .record = (const void *)&record };
	struct numbered_sample sample;
	u32 begun = 0;

	for (u64 i = first; i < first + nr; i++) {
		record.word[2] = i;
		if (sample_numbers__find(numbers, &item, 1, &sample)) {
			begun++;
			assert_int_equal(sample.parts.callers, 1);
		}
		assert_true(!sample.parts.callers == !sample.parts.place);
	}
	return begun;
}

/* The last one that has no room has no number, either. */
static void new_callers_get_little_room(void **state)
{
	assert_int_equal(number_callers(0, 65536), 0);
	assert_int_equal(number_callers(0, 65536), 0);
	assert_int_equal(number_callers(1 << 20, 1), 0);
	assert_int_equal(number_callers(1 << 20, 600000), 10);
	assert_int_equal(number_callers(2 << 20, 2000000), 30); /* however many there were */
}

static void callers_that_come_again_get_more_room(void **state)
{
	u32 begun = number_callers(0, 100000) + number_callers(0, 100000) + number_callers(0, 100000);

	assert_in_range(begun, 1, 4);
	assert_int_equal(number_callers(0, 100000) + number_callers(0, 100000), 0);
	for (u32 i = 0; i < 4; i++)
		begun += number_callers(0, 250000);
	assert_in_range(begun, 2, 10);
	assert_int_equal(number_callers(0, 250000), 0);
}

static void places_that_come_again_get_more_room(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record record = make(0x10, 7, word, 3);
	struct order_item item = { .record = (const void *)&record };
	struct numbered_sample sample;
	u32 begun = 0, last = 0;

	for (u32 round = 0; round < 4; round++) {
		for (u64 i = 0; i < 200000; i++) {
			record.ip = record.word[1] = i;
			if (!sample_numbers__find(numbers, &item, 1, &sample))
				continue;
			begun++;
			last = round;
		}
	}
	assert_in_range(begun, 1, 3);
	assert_in_range(last, 0, 2);
}

/* The callers would lose their numbers, too. */
static void places_of_many_callers_have_more_room(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record record = make(0x10, 7, word, 3);
	struct order_item item = { .record = (const void *)&record };
	struct numbered_sample sample;

	for (u64 i = 0; i < 1000000; i++) {
		record.ip = record.word[1] = i;
		record.word[2] = i % 2000;
		assert_int_equal(sample_numbers__find(numbers, &item, 1, &sample), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_alike_has_one_number, begin, end),
		cmocka_unit_test_setup_teardown(what_differs_has_another_number, begin, end),
		cmocka_unit_test_setup_teardown(callers_are_what_is_behind_the_address, begin, end),
		cmocka_unit_test_setup_teardown(places_are_the_same_whatever_called_them, begin, end),
		cmocka_unit_test_setup_teardown(a_chain_may_begin_elsewhere, begin, end),
		cmocka_unit_test_setup_teardown(where_a_chain_begins_is_told_apart, begin, end),
		cmocka_unit_test_setup_teardown(what_only_looks_like_the_place_is_apart, begin, end),
		cmocka_unit_test_setup_teardown(the_cpu_is_told_where_there_is_one, begin, end),
		cmocka_unit_test_setup_teardown(what_cannot_be_told_has_none, begin, end),
		cmocka_unit_test_setup_teardown(chains_that_nobody_reads_are_all_the_same, begin, end),
		cmocka_unit_test_setup_teardown(kernel_chains_are_told, begin, end),
		cmocka_unit_test_setup_teardown(places_that_nobody_reads_are_one, begin, end),
		cmocka_unit_test_setup_teardown(events_without_chains_have_places, begin, end),
		cmocka_unit_test_setup_teardown(raw_data_tells_callers_apart_for_who_asks, begin, end),
		cmocka_unit_test_setup_teardown(a_caller_is_no_raw_data, begin, end),
		cmocka_unit_test_setup_teardown(raw_data_that_nobody_reads_tells_nothing_apart, begin, end),
		cmocka_unit_test_setup_teardown(numbers_begin_anew_when_there_are_too_many, begin, end),
		cmocka_unit_test(events_are_covered_as_a_whole),
		cmocka_unit_test_setup_teardown(new_callers_get_little_room, begin, end),
		cmocka_unit_test_setup_teardown(callers_that_come_again_get_more_room, begin, end),
		cmocka_unit_test_setup_teardown(places_that_come_again_get_more_room, begin, end),
		cmocka_unit_test_setup_teardown(places_of_many_callers_have_more_room, begin, end),
	};

	return cmocka_run_group_tests_name("session/sample-numbers", tests, NULL, NULL);
}
