// SPDX-License-Identifier: GPL-2.0
/* How many samples the kernel skipped, from what an event has counted and its program has seen. */
#include "util/sampler/sampler-state.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define MS 1000000ULL

/* A clock on one task, of some ms, without children */
static u64 untaken(struct perf_event_attr attr, u64 ms, struct filter_counts seen)
{
	struct source source = { .has_program = true };
	struct sampler_event event = { .source = &source, .nr = 1 };
	struct slot slot = { .tid = 1000 };
	const struct sampler s = { .event = &event, .slot = &slot, .nr_slots = 1, .nr_rings = 2 };
	const struct evsel evsel = { .attr = attr };
	const u64 counted = ms * MS;

	return sampler__untaken(&s, &evsel, &counted, &seen);
}

static const struct perf_event_attr clock_of_2_ms = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 2 * MS
};

#define CLOCK_UNTAKEN(ms, ...) untaken(clock_of_2_ms, ms, (struct filter_counts){ __VA_ARGS__ })

/* 2 % and 10 samples are allowed for, and the period that has begun. */
static void skipped_samples_are_missing(void **state)
{
	assert_int_equal(CLOCK_UNTAKEN(2000, .seen = 1000), 0);
	assert_int_equal(CLOCK_UNTAKEN(2000, .seen = 960), 0);
	assert_int_equal(CLOCK_UNTAKEN(2000, .seen = 700), 980 - 10 - 701);
}

static void samples_of_a_late_timer_are_not_skipped(void **state)
{
	assert_int_equal(CLOCK_UNTAKEN(2000, .seen = 700, .late = 270), 0);
	assert_int_equal(CLOCK_UNTAKEN(2000, .seen = 700, .late = 300), 0);
	assert_int_equal(CLOCK_UNTAKEN(2000, .seen = 700, .late = 100), 980 - 10 - 801);
}

static void nothing_is_said_of_timers_that_cannot_be_read(void **state)
{
	assert_int_equal(CLOCK_UNTAKEN(2000, .seen = 700, .untimed = 700), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skipped_samples_are_missing),
		cmocka_unit_test(samples_of_a_late_timer_are_not_skipped),
		cmocka_unit_test(nothing_is_said_of_timers_that_cannot_be_read),
	};

	return cmocka_run_group_tests_name("sampler/untaken", tests, NULL, NULL);
}
