// SPDX-License-Identifier: GPL-2.0
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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
		job[i] = jobs__add(jobs, count_run, &runs[i], i % 3);
		assert_non_null(job[i]);
	}
	jobs__begin(jobs);
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
		assert_non_null(jobs__add(jobs, count_run, &runs[i], 0));
	jobs__begin(jobs);
	jobs__delete(jobs);
	for (u32 i = 0; i < NR; i++) {
		assert_true(runs[i] <= 1);
		all += runs[i];
	}
	assert_true(all <= NR);
	free(runs);
	jobs__delete(NULL);
}

struct order {
	u32 seen[NR], nr;
	sem_t done; /* posted by each job */
};

struct numbered {
	struct order *order;
	u32 number;
};

static void note_order(void *arg)
{
	struct numbered *numbered = arg;
	struct order *order = numbered->order;

	order->seen[order->nr++] = numbered->number;
	sem_post(&order->done);
}

/* On two CPUs there is one thread. false: there is only one. */
static bool take_two_cpus(cpu_set_t *all)
{
	cpu_set_t two = *all;

	for (int cpu = CPU_SETSIZE - 1; CPU_COUNT(&two) > 2; cpu--)
		CPU_CLR(cpu, &two);
	assert_int_equal(sched_setaffinity(0, sizeof(two), &two), 0);
	return CPU_COUNT(&two) == 2;
}

static void heavier_ones_go_first_else_those_that_came_first(void **state)
{
	static const u8 weight[] = { 0, 1, 2, 1, 2, 0 };
	static const u32 want[] = { 2, 4, 1, 3, 0, 5 };
	struct numbered numbered[ARRAY_SIZE(weight)];
	struct job *job[ARRAY_SIZE(weight)];
	struct jobs *jobs = jobs__new();
	struct order order = {};
	cpu_set_t all;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	if (!take_two_cpus(&all)) {
		jobs__delete(jobs);
		skip();
	}
	sem_init(&order.done, 0, 0);
	for (u32 i = 0; i < ARRAY_SIZE(weight); i++) {
		numbered[i] = (struct numbered){ &order, i };
		job[i] = jobs__add(jobs, note_order, &numbered[i], weight[i]);
		assert_non_null(job[i]);
	}
	jobs__begin(jobs);
	for (u32 i = 0; i < ARRAY_SIZE(weight); i++)
		sem_wait(&order.done);
	assert_memory_equal(order.seen, want, sizeof(want));
	for (u32 i = 0; i < ARRAY_SIZE(weight); i++)
		jobs__finish(jobs, job[i]);
	jobs__delete(jobs);
	sem_destroy(&order.done);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_runs_once_before_it_is_finished),
		cmocka_unit_test(those_that_nobody_asked_for_end_with_the_rest),
		cmocka_unit_test(heavier_ones_go_first_else_those_that_came_first),
	};

	return cmocka_run_group_tests_name("lib/jobs", tests, NULL, NULL);
}
