// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/lib/jobs.h"

#define NR 200

static void count_run(void *arg)
{
	++*(u32 *)arg;
}

static void each_runs_once_before_it_is_finished(void **state)
{
	struct jobs *jobs = jobs__new();
	struct job *job[NR];
	u32 runs[NR] = {};

	for (u32 i = 0; i < NR; i++) {
		job[i] = jobs__add(jobs, count_run, &runs[i], i % 3 == 0);
		assert_non_null(job[i]);
	}
	for (u32 i = NR; i-- > 0;) {
		jobs__finish(jobs, job[i]);
		assert_int_equal(runs[i], 1);
	}
	jobs__delete(jobs);
}

/* Nothing touches what they were given any more. */
static void those_that_nobody_asked_for_end_with_the_rest(void **state)
{
	struct jobs *jobs = jobs__new();
	u32 *runs = calloc(NR, sizeof(*runs)), all = 0;

	for (u32 i = 0; i < NR; i++)
		assert_non_null(jobs__add(jobs, count_run, &runs[i], false));
	jobs__delete(jobs);
	for (u32 i = 0; i < NR; i++) {
		assert_true(runs[i] <= 1);
		all += runs[i];
	}
	assert_true(all <= NR);
	free(runs);
	jobs__delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_runs_once_before_it_is_finished),
		cmocka_unit_test(those_that_nobody_asked_for_end_with_the_rest),
	};

	return cmocka_run_group_tests_name("lib/jobs", tests, NULL, NULL);
}
