// SPDX-License-Identifier: GPL-2.0
/* Texts that are kept for the next lines are those of the same thread, CPU, event and period, whatever comes between. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ui/script/fields.h"
#include "ui/script/numbers.h"

#define NR_LINES 50000

static const char *const comm[] = { "wl", "another", "with a long name",
				    "a name that is much too long to be kept together with all the numbers of its thread" };
static const char *const event[] = { "cycles", "page-faults",
				     "an event whose name is much too long to be kept as what comes before each line, as it is" };

static u64 random_number(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Few different values, so that most of them come again. */
static struct script_numbers random_line(u64 *random, u64 mask)
{
	u32 nr = random_number(random);
	struct script_numbers n = {
		.mask = mask, .comm = comm[nr % ARRAY_SIZE(comm)], .event = event[nr / 4 % ARRAY_SIZE(event)], .period = nr / 12 % 4 * 33333335ULL,
		.pid = nr / 48 % 5 - 1, .tid = nr / 240 % 300, .cpu = (s32)(nr / 72000 % 4) * 340 - 1, .time = (u64)nr * 2, /* two seconds and more */
	};

	n.comm_is_free = random_number(random) % 2;
	n.ends_line = random_number(random) % 2;
	return n;
}

static void assert_same_lines(const struct script_style *style, u64 mask)
{
	struct text kept = {}, anew = {};
	struct script_clock *clock = calloc(1, sizeof(*clock)), *none = calloc(1, sizeof(*none));
	u64 random = mask;

	assert_non_null(clock);
	assert_non_null(none);
	for (u32 i = 0; i < NR_LINES; i++) {
		const struct script_numbers n = random_line(&random, i % 7 ? mask : mask & random_number(&random));

		script_numbers__print(&n, style, clock, &kept);
		memset(none, 0, sizeof(*none));
		script_numbers__print(&n, style, none, &anew);
		assert_int_equal(kept.len, anew.len);
	}
	assert_false(kept.failed);
	assert_memory_equal(kept.buf, anew.buf, kept.len);
	text__exit(&kept);
	text__exit(&anew);
	free(clock);
	free(none);
}

static void lines_do_not_depend_on_those_before(void **state)
{
	const struct script_style plain = { .name_width = 12 }, narrow = { .name_width = 12, .latency = true, .ns = true };

	assert_same_lines(&plain, SCRIPT_NUMBERS);
	assert_same_lines(&narrow, SCRIPT_NUMBERS);
	assert_same_lines(&plain, SCRIPT_COMM | SCRIPT_TID | SCRIPT_TIME);
}

static void a_line_has_all(void **state)
{
	static const char want[] = "              wl      -1/7       [002]     3.000042:      40000   cycles: \n"
				   "wl      -1/7       [002]     3.000043:      40000   cycles: ";
	const struct script_style style = { .name_width = 8 };
	struct script_numbers n = { .mask = SCRIPT_NUMBERS, .comm = "wl", .event = "cycles", .pid = -1, .tid = 7, .cpu = 2,
				    .time = 3000042999, .period = 40000, .ends_line = true };
	struct script_clock *clock = calloc(1, sizeof(*clock));
	struct text text = {};

	assert_non_null(clock);
	script_numbers__print(&n, &style, clock, &text);
	n.comm_is_free = true;
	n.ends_line = false;
	n.time = 3000043000;
	script_numbers__print(&n, &style, clock, &text);
	text__char(&text, '\0');
	assert_string_equal(text.buf, want);
	text__exit(&text);
	free(clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_do_not_depend_on_those_before),
		cmocka_unit_test(a_line_has_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
