// SPDX-License-Identifier: GPL-2.0
/* Samples that a late timer leaves out: util/bpf_skel/filter-late.bpf.h in user space, with events that are made up. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf_skel/filter.h"
#include "util/bpf_skel/filter-late.bpf.h"

#define MS 1000000

static struct filter_words words;
static struct filter_counts counts;

/* The timer of event i fires at a time, and was due at another. */
static void fires(__u32 i, __u64 period, __s64 due, __u64 now)
{
	struct perf_event event = { .hw = { .hrtimer.node.expires = due, .sample_period = period } };
	struct bpf_perf_event_data_kern ctx = { .event = &event };

	host.now = now;
	filter_counts__find_late(&counts, (void *)&ctx, &words, i);
}

static int setup(void **state)
{
	host_reset();
	words = (struct filter_words){ .clocks = 1 | 1ULL << 63 };
	counts = (struct filter_counts){ 0 };
	return 0;
}

static void whole_periods_are_left_out(void **state)
{
	fires(0, 2 * MS, 100 * MS, 100 * MS);
	fires(0, 2 * MS, 100 * MS, 102 * MS - 1); /* each timer is a little late */
	assert_int_equal(counts.late, 0);
	fires(0, 2 * MS, 100 * MS, 102 * MS);
	assert_int_equal(counts.late, 1);
	fires(0, 2 * MS, 100 * MS, 155 * MS);
	assert_int_equal(counts.late, 1 + 27);
	fires(63, 2 * MS, 100 * MS, 104 * MS);
	assert_int_equal(counts.late, 1 + 27 + 2);
	assert_int_equal(counts.untimed, 0);
}

static void no_period_is_shorter_than_the_kernels(void **state)
{
	fires(0, 100, 100 * MS, 101 * MS);
	assert_int_equal(counts.late, 100);
}

/* Clocks are read one after the other. */
static void a_timer_may_be_early(void **state)
{
	fires(0, 2 * MS, 100 * MS, 90 * MS);
	assert_int_equal(counts.late, 0);
}

/* In the place of the timer they have something else. */
static void other_events_have_no_timer(void **state)
{
	fires(1, 1, 1, 100 * MS);
	fires(62, 1, 1, 100 * MS);
	assert_int_equal(counts.late, 0);
	assert_int_equal(counts.untimed, 0);
}

static void timers_that_cannot_be_read_are_counted(void **state)
{
	fires(0, 2 * MS, 0, 100 * MS);
	assert_int_equal(counts.late, 0);
	assert_int_equal(counts.untimed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whole_periods_are_left_out, setup),
		cmocka_unit_test_setup(no_period_is_shorter_than_the_kernels, setup),
		cmocka_unit_test_setup(a_timer_may_be_early, setup),
		cmocka_unit_test_setup(other_events_have_no_timer, setup),
		cmocka_unit_test_setup(timers_that_cannot_be_read_are_counted, setup),
	};

	return cmocka_run_group_tests_name("bpf_skel/late", tests, NULL, NULL);
}
