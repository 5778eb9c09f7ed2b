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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_id_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
