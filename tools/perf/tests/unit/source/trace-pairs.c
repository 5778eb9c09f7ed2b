// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <asm/unistd.h>
#include <string.h>

#include <cmocka.h>

#include "util/source/trace-pairs.h"

#define MAX_CALLS 8

struct calls {
	struct trace_call call[MAX_CALLS];
	struct trace_sum sum;
	unsigned int nr, nr_sums;
};

static void take_call(void *data, const struct trace_call *call)
{
	struct calls *calls = data;

	assert_true(calls->nr < MAX_CALLS);
	calls->call[calls->nr++] = *call;
}

static int take_sum(void *data, const struct trace_sum_key *key, const struct trace_sum *sum, struct errmsg *err)
{
	struct calls *calls = data;

	calls->sum = *sum;
	calls->nr_sums++;
	return 0;
}

static struct trace_opts opts_for(struct calls *calls)
{
	*calls = (struct calls){ 0 };
	return (struct trace_opts){ .written = true, .summed = true, .call = take_call, .sum = take_sum, .data = calls };
}

static void add(struct trace_pairs *pairs, u64 time, u32 tid, u32 nr, bool end, s64 ret)
{
	const struct trace_hit hit = { .time = time, .pid = tid, .tid = tid, .nr = nr, .arg = { 7 }, .ret = ret, .comm = "some" };

	assert_int_equal(trace_pairs__add(pairs, &hit, end), 0);
}

static void test_pair(void **state)
{
	struct calls calls;
	const struct trace_opts opts = opts_for(&calls);
	struct trace_pairs *pairs = trace_pairs__new(&opts);

	add(pairs, 100, 1, __NR_read, false, 0);
	add(pairs, 110, 2, __NR_read, false, 0);
	add(pairs, 130, 1, __NR_read, true, 5);
	add(pairs, 150, 2, __NR_read, true, -4);
	assert_int_equal(calls.nr, 2);
	assert_int_equal(calls.call[0].end - calls.call[0].begin, 30);
	assert_int_equal(calls.call[0].ret, 5);
	assert_int_equal(calls.call[0].arg[0], 7);
	assert_int_equal(calls.call[0].begun, TRACE_BEGIN_SEEN);
	assert_int_equal(calls.call[1].tid, 2);
	trace_pairs__delete(pairs);
}

/* The first hit of a thread is the end of a call that began before the recording; later ones took no time that anybody knows. */
static void test_ends_alone(void **state)
{
	struct calls calls;
	const struct trace_opts opts = opts_for(&calls);
	struct trace_pairs *pairs = trace_pairs__new(&opts);

	add(pairs, 100, 1, __NR_read, true, 5);
	add(pairs, 130, 2, __NR_write, true, 5);
	add(pairs, 150, 2, __NR_unshare, true, -1);
	assert_int_equal(calls.nr, 3);
	assert_int_equal(calls.call[1].begun, TRACE_BEGIN_NONE); /* also of the first hit of a thread: seccomp may have answered it */
	assert_int_equal(calls.call[1].begin, 130);
	assert_true(calls.call[1].no_args);
	assert_int_equal(calls.call[2].begun, TRACE_BEGIN_NONE);
	assert_int_equal(calls.call[2].begin, 150);
	assert_int_equal(calls.call[2].nr, __NR_unshare);
	assert_int_equal(calls.call[2].ret, -1);
	assert_int_equal(trace_pairs__finish(pairs), 0);
	assert_int_equal(calls.nr_sums, 3);
	trace_pairs__delete(pairs);
}

/* A child comes back from the call of its parent; a return from a signal has another number. */
static void test_ends_of_no_call(void **state)
{
	struct calls calls;
	const struct trace_opts opts = opts_for(&calls);
	struct trace_pairs *pairs = trace_pairs__new(&opts);

	add(pairs, 100, 1, __NR_clone, true, 0);
	add(pairs, 101, 2, __NR_clone3, true, 0);
	add(pairs, 102, 3, TRACE_FORGOTTEN, true, 3);
	assert_int_equal(calls.nr, 0);
	add(pairs, 110, 1, __NR_rt_sigreturn, false, 0);
	add(pairs, 115, 1, TRACE_FORGOTTEN, true, -4);
	assert_int_equal(calls.nr, 1);
	assert_int_equal(calls.call[0].nr, __NR_rt_sigreturn);
	assert_int_equal(calls.call[0].begun, TRACE_BEGIN_SEEN);
	add(pairs, 120, 1, __NR_clone, true, -11);
	assert_int_equal(calls.nr, 2);
	assert_int_equal(calls.call[1].begun, TRACE_BEGIN_NONE);
	trace_pairs__delete(pairs);
}

/* What goes on counts until the last hit; what cannot return has no time. */
static void test_sums(void **state)
{
	struct calls calls;
	struct trace_opts opts = opts_for(&calls);
	struct trace_pairs *pairs;

	opts.min_ns = 60;
	pairs = trace_pairs__new(&opts);
	add(pairs, 100, 1, __NR_read, true, 5); /* 0 ns: too short */
	add(pairs, 110, 1, __NR_read, false, 0);
	add(pairs, 120, 2, __NR_read, false, 0); /* and so is this one */
	add(pairs, 170, 3, __NR_write, false, 0);
	assert_int_equal(trace_pairs__finish(pairs), 0);
	assert_int_equal(calls.nr, 1);
	assert_int_equal(calls.call[0].state, TRACE_UNFINISHED);
	assert_int_equal(calls.call[0].end, 170);
	assert_int_equal(calls.nr_sums, 1);
	assert_int_equal(calls.sum.calls, 1);
	assert_int_equal(calls.sum.single, 1);
	assert_int_equal(calls.sum.untimed, 0);
	assert_int_equal(calls.sum.total, 60);
	trace_pairs__delete(pairs);
	opts = opts_for(&calls);
	pairs = trace_pairs__new(&opts);
	add(pairs, 100, 1, __NR_exit_group, false, 0);
	assert_int_equal(trace_pairs__finish(pairs), 0);
	assert_int_equal(calls.sum.untimed, 1);
	assert_int_equal(calls.sum.single, 1);
	assert_int_equal(calls.sum.least, UINT64_MAX);
	trace_pairs__delete(pairs);
	/* --failure */
	opts = opts_for(&calls);
	opts.failed_only = true;
	pairs = trace_pairs__new(&opts);
	add(pairs, 100, 1, __NR_unshare, true, -1);
	add(pairs, 110, 1, __NR_read, false, 0);
	assert_int_equal(trace_pairs__finish(pairs), 0);
	assert_int_equal(calls.nr, 1);
	assert_int_equal(calls.sum.errors, 1);
	trace_pairs__delete(pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_ends_alone),
		cmocka_unit_test(test_ends_of_no_call),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests_name("trace-pairs", tests, NULL, NULL);
}
