// SPDX-License-Identifier: GPL-2.0
/* The moments at which CPUs enable a clock. */
#include "util/sampler/sampler-state.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include "util/lib/clock.h"

static const struct perf_event_attr cpu_clock = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .freq = 1 };

static u64 step_of(struct perf_event_attr attr, u64 period_or_freq, unsigned int nr_cpus)
{
	attr.sample_period = period_or_freq;
	return turns__of(&attr, nr_cpus).step;
}

static void cpus_share_a_period(void **state)
{
	struct perf_event_attr period = cpu_clock, faults = cpu_clock;

	period.freq = 0;
	faults.config = PERF_COUNT_SW_PAGE_FAULTS;
	assert_int_equal(step_of(cpu_clock, 4000, 2), 125000);
	assert_int_equal(step_of(cpu_clock, 4000, 10), 25000);
	assert_int_equal(step_of(period, 40000, 4), 10000);
	assert_int_equal(step_of(cpu_clock, 99, 2), 500000); /* no more than 1 ms together */
	assert_int_equal(step_of(faults, 4000, 2), 0);
	assert_int_equal(step_of(cpu_clock, 0, 2), 0); /* it counts */
	assert_int_equal(step_of(cpu_clock, 4000, 0), 0);
}

static void each_cpu_waits_for_its_turn(void **state)
{
	const u64 begin = clock__ns(CLOCK_MONOTONIC);
	struct turns turns = { .next = begin, .step = 2000000 };
	u64 now;

	turns__wait(&turns);
	turns__wait(&turns);
	now = clock__ns(CLOCK_MONOTONIC);
	assert_true(now >= begin + 2000000);
	turns__wait(&turns);
	now = clock__ns(CLOCK_MONOTONIC);
	assert_true(now >= begin + 4000000);
	assert_int_equal(turns.next, begin + 6000000); /* one that is late does not delay all others */
}

static void without_a_step_nobody_waits(void **state)
{
	struct turns turns = { .next = UINT64_MAX };

	turns__wait(&turns);
	assert_int_equal(turns.next, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_share_a_period),
		cmocka_unit_test(each_cpu_waits_for_its_turn),
		cmocka_unit_test(without_a_step_nobody_waits),
	};

	return cmocka_run_group_tests_name("sampler/turns", tests, NULL, NULL);
}
