// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/session/events.h"

/* Ids are found also if their last bits are equal, and 0 is one only if an event has it. */
static void each_id_is_found(void **state)
{
	u64 first[] = { 1, 257, 513, 1ULL << 40 }, second[] = { 769, 2, 1025, 3 };
	const struct perf_event_attr attr = { .size = PERF_ATTR_SIZE_VER5, .sample_type = PERF_SAMPLE_IDENTIFIER, .sample_id_all = 1 };
	const struct perfdata_event event[] = { { .attr = attr, .ids = first, .nr_ids = 4 }, { .attr = attr, .ids = second, .nr_ids = 4 } };
	struct session_events events = {};
	struct errmsg err;

	assert_int_equal(session_events__init(&events, event, 2, NULL, &err), 0);
	for (u32 i = 0; i < 4; i++) {
		assert_ptr_equal(session_events__of_known_id(&events, first[i]), &events.event[0]);
		assert_ptr_equal(session_events__of_known_id(&events, second[i]), &events.event[1]);
	}
	assert_null(session_events__of_known_id(&events, 0));
	assert_null(session_events__of_known_id(&events, 1281));
	assert_ptr_equal(session_events__of_id(&events, 1281), &events.event[0]);
	session_events__exit(&events);
}

/* The tail of a record is decoded as that of its event, whose id is at the same place in all. */
static void tails_are_decoded_by_their_event(void **state)
{
	u64 first[] = { 7 }, second[] = { 8 };
	const u64 type = PERF_SAMPLE_TID | PERF_SAMPLE_IDENTIFIER;
	const struct perf_event_attr with_cpu = { .size = PERF_ATTR_SIZE_VER5, .sample_type = type | PERF_SAMPLE_CPU, .sample_id_all = 1 };
	const struct perf_event_attr with_time = { .size = PERF_ATTR_SIZE_VER5, .sample_type = type | PERF_SAMPLE_TIME, .sample_id_all = 1 };
	const struct perfdata_event event[] = { { .attr = with_cpu, .ids = first, .nr_ids = 1 }, { .attr = with_time, .ids = second, .nr_ids = 1 } };
	struct {
		struct perf_event_header header;
		u64 tid, word, id;
	} record = { { PERF_RECORD_EXIT, 0, sizeof(record) }, 5, 99, 7 };
	struct session_events events = {};
	struct perf_sample id;
	struct errmsg err;

	assert_int_equal(session_events__init(&events, event, 2, NULL, &err), 0);
	assert_int_equal(session_events__decode_tail(&events, (union perf_record *)&record, &id), 0);
	assert_int_equal(id.cpu, 99);
	assert_int_equal(id.time, 0);
	record.id = 8;
	assert_int_equal(session_events__decode_tail(&events, (union perf_record *)&record, &id), 0);
	assert_int_equal(id.cpu, 0);
	assert_int_equal(id.time, 99);
	assert_int_equal(session_events__time(&events, (union perf_record *)&record), 99);
	session_events__exit(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_id_is_found),
		cmocka_unit_test(tails_are_decoded_by_their_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
