// SPDX-License-Identifier: GPL-2.0
/* Samples for which the kernel skipped the program: util/bpf_skel/filter-untaken.bpf.h in user space, with events that are made up. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include "util/bpf_skel/filter.h"

#define bpf_rdonly_cast(object, type) ((void *)(object))
#include "util/bpf_skel/filter-untaken.bpf.h"

static struct filter_counts counts;

/* The program runs for the sample that is the nr-th one since the last tick. */
static void runs(__u64 tick, __u64 nr)
{
	struct perf_event event = { .hw = { .interrupts = nr, .interrupts_seq = tick } };
	struct bpf_perf_event_data_kern ctx = { .event = &event };

	filter_counts__find_untaken(&counts, (void *)&ctx);
}

static int setup(void **state)
{
	counts = (struct filter_counts){ 0 };
	return 0;
}

static void numbers_in_a_row_have_no_gap(void **state)
{
	runs(7, 1);
	runs(7, 2);
	runs(7, 3);
	runs(8, 1);
	runs(8, 2);
	assert_int_equal(counts.untaken, 0);
}

static void gaps_are_counted(void **state)
{
	runs(7, 3); /* two before the first one */
	assert_int_equal(counts.untaken, 2);
	runs(7, 4);
	runs(7, 9);
	assert_int_equal(counts.untaken, 2 + 4);
	runs(8, 2);
	assert_int_equal(counts.untaken, 2 + 4 + 1);
}

/* A throttled event begins anew within a tick, and others count far. */
static void numbers_that_make_no_sense_are_left_out(void **state)
{
	runs(7, 5);
	assert_int_equal(counts.untaken, 4);
	runs(7, 1);
	runs(8, (1 << 20) + 1);
	assert_int_equal(counts.untaken, 4);
	runs(8, (1 << 20) + 3);
	assert_int_equal(counts.untaken, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(numbers_in_a_row_have_no_gap, setup),
		cmocka_unit_test_setup(gaps_are_counted, setup),
		cmocka_unit_test_setup(numbers_that_make_no_sense_are_left_out, setup),
	};

	return cmocka_run_group_tests_name("bpf_skel/untaken", tests, NULL, NULL);
}
