// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/perfdata/record.h"
#include "util/stacks/numbers.h"

static struct stack_numbers *numbers;

static int begin(void **state)
{
	numbers = stack_numbers__new(3);
	return numbers ? 0 : -1;
}

static int end(void **state)
{
	stack_numbers__delete(numbers);
	return 0;
}

static struct stack_parts parts_of(struct stack_words words)
{
	struct stack_parts parts;

	stack_numbers__begin(numbers, &words);
	stack_numbers__fetch(numbers, &words);
	stack_numbers__find(numbers, &words, &parts);
	assert_int_not_equal(parts.place, 0);
	assert_int_not_equal(parts.callers, 0);
	return parts;
}

/* nr 0: it has no callchain */
static struct stack_parts parts_of_event(u32 event, u16 nr)
{
	static const u64 word[] = { PERF_CONTEXT_USER, 0x10, 0x20 };

	return parts_of((struct stack_words){ .word = word, .ip = 0x10, .leaf_word = 0x10, .event = event, .nr = nr, .leaf = nr ? 1 : 0,
					      .cpumode = PERF_RECORD_MISC_USER, .no_chain = !nr });
}

/* Consumers keep what they have of a sample by its numbers: those of another event must not find it. */
static void each_event_has_its_own(void **state)
{
	for (u16 nr = 0; nr <= 3; nr += 3) {
		struct stack_parts of[3];

		for (u32 event = 0; event < 3; event++)
			of[event] = parts_of_event(event, nr);
		for (u32 event = 0; event < 3; event++) {
			struct stack_parts again = parts_of_event(event, nr), *next = &of[(event + 1) % 3];

			assert_int_equal(of[event].event, event);
			assert_int_equal(again.place, of[event].place);
			assert_int_equal(again.callers, of[event].callers);
			assert_int_not_equal(next->place, of[event].place);
			assert_int_not_equal(next->callers, of[event].callers);
		}
	}
}

/* One that has nothing but an address is not taken for one whose callchain has no callers. */
static void no_callchain_is_no_empty_one(void **state)
{
	assert_int_not_equal(parts_of_event(0, 0).callers, parts_of_event(0, 2).callers);
	assert_int_equal(parts_of_event(0, 0).place, parts_of_event(0, 2).place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_event_has_its_own, begin, end),
		cmocka_unit_test_setup_teardown(no_callchain_is_no_empty_one, begin, end),
	};

	return cmocka_run_group_tests_name("stacks/numbers", tests, NULL, NULL);
}
