// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/session/sample-kinds.h"

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
static struct sample_kinds *kinds;

static int begin_of(u64 sample_type, bool of_places)
{
	static struct perfdata_event event;
	struct errmsg err;

	event = (struct perfdata_event){ .attr = { .sample_type = sample_type, .sample_period = 3, .size = PERF_ATTR_SIZE_VER5 } };
	memset(&events, 0, sizeof(events));
	assert_int_equal(session_events__init(&events, &event, 1, NULL, &err), 0);
	kinds = sample_kinds__new(&events, of_places);
	return kinds ? 0 : -1;
}

static int begin(void **state)
{
	return begin_of(SAMPLE_TYPE, false);
}

static int begin_of_places(void **state)
{
	return begin_of(SAMPLE_TYPE, true);
}

static int end(void **state)
{
	sample_kinds__delete(kinds);
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

static struct kind_of_sample kind_of(const struct sample_record *record)
{
	struct order_item item = { .record = (const void *)record };
	struct kind_of_sample kind;

	sample_kinds__find(kinds, &item, 1, &kind);
	return kind;
}

#define WORDS(...) (const u64[]){ __VA_ARGS__ }, sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64)
#define KIND(ip, pid, ...) kind_of_made(ip, pid, WORDS(__VA_ARGS__))

static struct kind_of_sample kind_of_made(u64 ip, u32 pid, const u64 *word, u64 nr)
{
	const struct sample_record record = make(ip, pid, word, nr);

	return kind_of(&record);
}

static void what_is_alike_has_one_number(void **state)
{
	struct kind_of_sample first = KIND(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20);
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record other = make(0x10, 7, word, 3);
	struct kind_of_sample again;

	other.tid = 8;
	other.time = 99;
	other.period = 6;
	again = kind_of(&other);
	assert_int_not_equal(first.kind, 0);
	assert_int_equal(again.kind, first.kind);
	assert_int_equal(again.callers, first.callers);
	assert_int_equal(first.period, 5);
	assert_int_equal(again.period, 6);
	assert_int_equal(again.tid, 8);
}

static void what_differs_has_another_number(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record kernel = make(0x10, 7, word, 3);
	u32 seen[7];

	kernel.header.misc = PERF_RECORD_MISC_KERNEL;
	seen[0] = KIND(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20).kind;
	seen[1] = KIND(0x10, 8, PERF_CONTEXT_USER, 0x10, 0x20).kind;
	seen[2] = KIND(0x11, 7, PERF_CONTEXT_USER, 0x10, 0x20).kind;
	seen[3] = KIND(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x21).kind;
	seen[4] = KIND(0x10, 7, PERF_CONTEXT_KERNEL, 0x10, 0x20).kind;
	seen[5] = KIND(0x10, 7, PERF_CONTEXT_USER, 0x10).kind;
	seen[6] = kind_of(&kernel).kind;
	for (u32 i = 0; i < ARRAY_SIZE(seen); i++) {
		assert_int_not_equal(seen[i], 0);
		for (u32 j = 0; j < i; j++)
			assert_int_not_equal(seen[i], seen[j]);
	}
}

static void callers_are_what_is_behind_the_address(void **state)
{
	struct kind_of_sample a = KIND(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20), b = KIND(0x11, 7, PERF_CONTEXT_USER, 0x11, 0x20);
	struct kind_of_sample bare = KIND(0x10, 7, 0x10, 0x20), bare_too = KIND(0x11, 7, 0x11, 0x20);

	assert_int_not_equal(a.kind, b.kind);
	assert_int_not_equal(a.callers, 0);
	assert_int_equal(a.callers, b.callers);
	assert_int_not_equal(bare.callers, a.callers);
	assert_int_equal(bare.callers, bare_too.callers);
	assert_int_not_equal(KIND(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x30).callers, a.callers);
	/* where the sample was is not where its chain begins, as hardware may have it, or what begins it is of another mode */
	assert_int_equal(KIND(0x12, 7, PERF_CONTEXT_USER, 0x10, 0x20).callers, 0);
	assert_int_equal(KIND(0x10, 7, PERF_CONTEXT_KERNEL, 0x10, 0x20).callers, 0);
	assert_int_equal(KIND(0x10, 7, PERF_CONTEXT_USER).callers, 0);
}

static void places_are_of_one_kind_whatever_called_them(void **state)
{
	struct kind_of_sample a = KIND(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20), b = KIND(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x30);
	struct kind_of_sample other = KIND(0x11, 7, PERF_CONTEXT_USER, 0x11, 0x20), process = KIND(0x10, 8, PERF_CONTEXT_USER, 0x10, 0x20);
	const u64 word[] = { PERF_CONTEXT_KERNEL, 0x10, 0x20 };
	struct sample_record kernel = make(0x10, 7, word, 3);

	kernel.header.misc = PERF_RECORD_MISC_KERNEL;
	assert_int_not_equal(a.kind, 0);
	assert_int_equal(a.kind, b.kind);
	assert_int_not_equal(a.callers, b.callers);
	assert_int_not_equal(a.kind, other.kind);
	assert_int_equal(a.callers, other.callers);
	assert_int_not_equal(a.kind, process.kind);
	assert_int_not_equal(a.callers, process.callers);
	assert_int_not_equal(kind_of(&kernel).kind, 0);
	assert_int_not_equal(kind_of(&kernel).kind, a.kind);
	/* samples that have no callers in this sense */
	assert_int_equal(KIND(0x12, 7, PERF_CONTEXT_USER, 0x10, 0x20).kind, 0);
	assert_int_equal(KIND(0x10, 7, PERF_CONTEXT_USER).kind, 0);
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

	assert_int_equal(KIND(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20).cpu, 0);
	end(NULL);
	assert_int_equal(begin_of(type, false), 0);
	assert_int_equal(kind_of((const void *)&record).cpu, 5);
	assert_int_equal(kind_of((const void *)&record).period, 3);
}

static void what_cannot_be_told_has_none(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record longer = make(0x10, 7, word, 3), shorter = longer, comm = longer;

	longer.nr++;
	shorter.nr--;
	comm.header.type = PERF_RECORD_COMM;
	assert_int_equal(kind_of(&longer).kind, 0);
	assert_int_equal(kind_of(&shorter).kind, 0);
	assert_int_equal(kind_of(&comm).kind, 0);
	/* the rest of such a chain comes later */
	assert_int_equal(KIND(0x10, 7, PERF_CONTEXT_KERNEL, 0x10, PERF_CONTEXT_USER_DEFERRED_, 77).kind, 0);
	end(NULL);
	assert_int_equal(begin_of(SAMPLE_TYPE | PERF_SAMPLE_RAW, false), 0);
	assert_int_equal(KIND(0x10, 7, PERF_CONTEXT_USER, 0x10, 0x20).kind, 0);
}

/* More than there is room for: numbers begin anew, and nothing is taken for what it is not. */
static void numbers_begin_anew_when_there_are_too_many(void **state)
{
	const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };
	struct sample_record record = make(0x10, 7, word, 3);
	struct order_item item = { .record = (const void *)&record };
	struct kind_of_sample kind;
	u32 last = 0, begun = 0;

	for (u64 i = 0; i < 1200000; i++) {
		record.ip = record.word[1] = i;
		if (sample_kinds__find(kinds, &item, 1, &kind)) {
			begun++;
			last = 0;
		}
		assert_true(kind.kind == last + 1 || !kind.kind);
		last = kind.kind;
	}
	assert_int_equal(begun, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_alike_has_one_number, begin, end),
		cmocka_unit_test_setup_teardown(what_differs_has_another_number, begin, end),
		cmocka_unit_test_setup_teardown(callers_are_what_is_behind_the_address, begin, end),
		cmocka_unit_test_setup_teardown(places_are_of_one_kind_whatever_called_them, begin_of_places, end),
		cmocka_unit_test_setup_teardown(the_cpu_is_told_where_there_is_one, begin, end),
		cmocka_unit_test_setup_teardown(what_cannot_be_told_has_none, begin, end),
		cmocka_unit_test_setup_teardown(numbers_begin_anew_when_there_are_too_many, begin, end),
	};

	return cmocka_run_group_tests_name("session/sample-kinds", tests, NULL, NULL);
}
