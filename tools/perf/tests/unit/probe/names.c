// SPDX-License-Identifier: GPL-2.0
/* Names of events: places of one definition share one if the kernel can take their arguments together; others get numbers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "util/probe/names.h"

static void add(struct probe_events *events, size_t definition, const char *name, const char *argument, const char *text)
{
	struct probe_event *event = probe_events__add(events);

	assert_non_null(event);
	event->definition = definition;
	event->group = strdup("g");
	event->event = strdup(name);
	if (argument)
		assert_int_equal(probe_event__add_argument(event, argument, text), 0);
}

static void places_with_the_same_arguments_share_a_name(void **state)
{
	static const char *const want[] = { "f", "f", "f_1", "f_2", "f_1" };
	struct probe_events events = { 0 };

	add(&events, 0, "f", "n", "%di:s32");
	add(&events, 0, "f", "n", "-8(%bp):s32");
	add(&events, 0, "f", NULL, NULL);
	add(&events, 0, "f", "n", "%di:u32");
	add(&events, 0, "f", NULL, NULL);
	assert_int_equal(probe_names__choose(&events, NULL, false, NULL), 0);
	for (size_t i = 0; i < events.nr; i++)
		assert_string_equal(events.event[i].event, want[i]);
	probe_events__exit(&events);
}

static void definitions_share_none(void **state)
{
	struct probe_events events = { 0 };

	add(&events, 0, "f", NULL, NULL);
	add(&events, 1, "f", NULL, NULL);
	assert_int_equal(probe_names__choose(&events, NULL, false, NULL), -EEXIST);
	assert_int_equal(probe_names__choose(&events, NULL, true, NULL), 0);
	assert_string_equal(events.event[0].event, "f");
	assert_string_equal(events.event[1].event, "f_1");
	probe_events__exit(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_with_the_same_arguments_share_a_name),
		cmocka_unit_test(definitions_share_none),
	};

	return cmocka_run_group_tests_name("probe/names", tests, NULL, NULL);
}
