// SPDX-License-Identifier: GPL-2.0
/* Recorded wakings and switches become waits and runtimes of tasks. */
#include "util/source/sched-events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MAX_ROWS 8

static struct results {
	u32 nr;
	struct sched_row row[MAX_ROWS];
	const void *place[MAX_ROWS];
} results;

static int take_row(void *data, const struct sched_row *row, const void *key, const void *place, struct errmsg *err)
{
	assert_true(results.nr < MAX_ROWS);
	results.row[results.nr] = *row;
	results.place[results.nr++] = place;
	return 0;
}

static const struct sched_opts sched_opts;
static struct sched_events *events;

static void begin(bool has_runtimes, const struct filter_table *filter)
{
	const struct sched_events_opts opts = { .sched = &sched_opts, .has_runtimes = has_runtimes, .filter = filter, .row = take_row };

	results = (struct results){ 0 };
	events = sched_events__new(&opts);
	assert_non_null(events);
}

static const struct sched_totals *end(u64 now)
{
	struct errmsg err;

	assert_int_equal(sched_events__finish(events, now, &err), 0);
	return sched_events__totals(events);
}

static struct sched_task task(u32 tid)
{
	static const char keys[MAX_ROWS];

	return (struct sched_task){ .key = &keys[tid], .tid = tid, .pid = tid, .comm = tid ? "task" : "swapper" };
}

static void wake(u32 tid, u64 time)
{
	const struct sched_task who = task(tid);

	assert_int_equal(sched_events__wake(events, &who, time), 0);
}

static void change(u64 time, u32 prev, bool runnable, u32 next)
{
	const struct sched_switch sw = {
		.time = time, .prev = task(prev), .next = task(next), .runnable = runnable, .counted = true, .place = (void *)(uintptr_t)time,
	};

	assert_int_equal(sched_events__switch(events, &sw), 0);
}

static const struct sched_row *row_of(u32 tid)
{
	for (u32 i = 0; i < results.nr; i++) {
		if (results.row[i].tid == tid)
			return &results.row[i];
	}
	fail_msg("no row of task %u", tid);
	return NULL;
}

static void test_waking(void **state)
{
	const struct sched_totals *t;

	begin(false, NULL);
	wake(1, 1000);
	change(1500, 0, true, 1);
	change(4500, 1, false, 0);
	wake(1, 6000);
	wake(1, 6500); /* it waits already */
	change(7000, 0, true, 1);
	t = end(7500);
	assert_int_equal(row_of(1)->wait.count, 2);
	assert_int_equal(row_of(1)->wait.total, 500 + 1000);
	assert_int_equal(row_of(1)->wait.greatest, 1000);
	assert_int_equal(row_of(1)->wait.begin, 6000);
	assert_int_equal(row_of(1)->wait.end, 7000);
	assert_int_equal(row_of(1)->runtime, 3000 + 500);
	assert_int_equal(results.nr, 1); /* the idle task has none */
	assert_int_equal(t->kept, 2);
	sched_events__delete(events);
}

static void test_preemption(void **state)
{
	begin(false, NULL);
	wake(1, 0x1000);
	change(0x2000, 0, true, 1);
	wake(2, 0x2800);
	change(0x3000, 1, true, 2);
	change(0x7000, 2, false, 1);
	end(0x7000);
	assert_int_equal(row_of(1)->wait.count, 2);
	assert_int_equal(row_of(1)->wait.greatest, 0x4000);
	assert_int_equal(row_of(1)->by_tid, 2);
	assert_int_equal((uintptr_t)results.place[row_of(1) - results.row], 0x3000); /* where it lost the CPU */
	assert_int_equal(row_of(2)->wait.total, 0x800);
	assert_int_equal(row_of(2)->runtime, 0x4000);
	sched_events__delete(events);
}

/* A waking of a task that still runs is no wait, and a task that gets a CPU without one is counted apart. */
static void test_unseen(void **state)
{
	const struct sched_totals *t;

	begin(false, NULL);
	change(1000, 0, true, 1); /* nothing was seen before: 0 ns */
	wake(1, 1500);
	change(2000, 1, false, 0);
	change(3000, 0, true, 1); /* its waking was not seen */
	t = end(3000);
	assert_int_equal(row_of(1)->wait.count, 1);
	assert_int_equal(row_of(1)->wait.total, 0);
	assert_int_equal(t->unwoken, 1);
	sched_events__delete(events);
}

static void test_still_waiting(void **state)
{
	const struct sched_totals *t;

	begin(false, NULL);
	wake(1, 1000);
	wake(2, 2000);
	t = end(9000);
	assert_int_equal(t->waiting, 2);
	assert_int_equal(t->longest, 8000);
	assert_int_equal(t->longest_tid, 1);
	assert_int_equal(row_of(1)->wait.count, 0);
	sched_events__delete(events);
}

/* Where the scheduler tells runtimes, switches do not. */
static void test_runtimes(void **state)
{
	const struct sched_task who = task(1);

	begin(true, NULL);
	wake(1, 1000);
	change(2000, 0, true, 1);
	assert_int_equal(sched_events__run(events, &who, 700, true), 0);
	assert_int_equal(sched_events__run(events, &who, 100, false), 0); /* outside of the wanted time */
	change(3000, 1, false, 0);
	end(3000);
	assert_int_equal(row_of(1)->runtime, 700);
	sched_events__delete(events);
}

/* A task that leaves a CPU without having got it: what it ran tells when its wait ended. */
static void test_hidden_switch(void **state)
{
	const struct sched_task who = task(1);
	const struct sched_totals *t;

	begin(true, NULL);
	wake(1, 1000);
	assert_int_equal(sched_events__run(events, &who, 2000, true), 0);
	change(9000, 1, true, 2);
	t = end(9000);
	assert_int_equal(row_of(1)->wait.count, 1);
	assert_int_equal(row_of(1)->wait.total, 6000);
	assert_int_equal(row_of(1)->wait.end, 7000);
	assert_int_equal(row_of(1)->by_tid, SCHED_NOBODY);
	assert_int_equal(row_of(1)->runtime, 2000);
	assert_int_equal(t->unseen, 1);
	sched_events__delete(events);
}

static void compile(const char *text, struct filter_table *table)
{
	const struct filter_env env = { .period_is_time = true };
	const struct filter_input input = { "filter", text };
	struct filter *filter;
	struct errmsg err;

	assert_int_equal(filter__parse_all(&input, 1, &filter, &err), 0);
	assert_int_equal(filter__check(filter, &env, &err), 0);
	assert_int_equal(filter__lower(filter, table, &err), 0);
	filter__delete(filter);
}

/* The turn after a wait goes with it. */
static void test_filter(void **state)
{
	static struct filter_table table;
	const struct sched_totals *t;

	compile("period >= 1us", &table);
	begin(false, &table);
	wake(1, 10000);
	change(10500, 0, true, 1);
	change(20000, 1, false, 0);
	wake(1, 30000);
	change(32000, 0, true, 1);
	change(33000, 1, false, 0);
	t = end(40000);
	assert_int_equal(row_of(1)->wait.count, 1);
	assert_int_equal(row_of(1)->wait.total, 2000);
	assert_int_equal(row_of(1)->runtime, 1000);
	assert_int_equal(t->kept, 1);
	assert_int_equal(t->dropped, 1);
	sched_events__delete(events);
}

static void test_buckets(void **state)
{
	const struct sched_totals *t;

	begin(false, NULL);
	wake(1, 1000);
	change(1999, 0, true, 1);  /* below 1 us */
	change(3000, 1, true, 2);  /* 0 ns, of a task that is new */
	change(6000, 2, false, 1); /* 3 us */
	t = end(6000);
	assert_int_equal(t->bucket[0], 2);
	assert_int_equal(t->bucket[2], 1);
	sched_events__delete(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waking),	       cmocka_unit_test(test_preemption), cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_still_waiting), cmocka_unit_test(test_runtimes),	  cmocka_unit_test(test_filter),
		cmocka_unit_test(test_hidden_switch),
		cmocka_unit_test(test_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
