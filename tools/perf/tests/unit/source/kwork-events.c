// SPDX-License-Identifier: GPL-2.0
/* Recorded hits of tracepoints become times: whose time it is, how long what waited, and what still runs at the end. */
#include "util/source/kwork-events.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MAX_ROWS 16
#define ALL_KINDS (~0U)
#define OF(class) (1U << (class))

struct results {
	u32 nr, nr_cpus, nr_records;
	struct kwork_key key[MAX_ROWS];
	struct kwork_row row[MAX_ROWS];
	struct kwork_cpu_times cpu[MAX_ROWS];
	struct kwork_record record[MAX_ROWS];
};

static int take_row(void *data, const struct kwork_key *key, const struct kwork_row *row, struct errmsg *err)
{
	struct results *r = data;

	assert_true(r->nr < MAX_ROWS);
	r->key[r->nr] = *key;
	r->row[r->nr++] = *row;
	return 0;
}

static int take_cpu(void *data, const struct kwork_cpu_times *times, struct errmsg *err)
{
	struct results *r = data;

	assert_true(r->nr_cpus < MAX_ROWS);
	r->cpu[r->nr_cpus++] = *times;
	return 0;
}

static int take_record(void *data, const struct kwork_record *record, struct errmsg *err)
{
	struct results *r = data;

	assert_true(r->nr_records < MAX_ROWS);
	r->record[r->nr_records++] = *record;
	return 0;
}

static struct results results;

static struct kwork_opts opts_for(u32 classes)
{
	results = (struct results){ 0 };
	return (struct kwork_opts){
		.classes = classes, .runs = true, .waits = true, .row = take_row, .cpu = take_cpu, .record = take_record, .data = &results,
	};
}

static struct kwork_events *make(const struct kwork_opts *kwork, u32 kinds)
{
	const struct kwork_events_opts opts = { .kwork = kwork, .kinds = kinds };
	struct kwork_events *e = kwork_events__new(&opts);

	assert_non_null(e);
	return e;
}

/* tid: of the current task */
static void add(struct kwork_events *e, u64 time, enum kwork_event_kind kind, u32 cpu, u32 tid, u64 id)
{
	const struct kwork_event ev = {
		.kind = kind, .time = time, .cpu = cpu, .pid = tid, .tid = tid, .comm = "task", .id = id, .name = "name", .function = id + 1000,
	};
	struct errmsg err;

	assert_int_equal(kwork_events__add(e, &ev, &err), 0);
}

static void switch_to(struct kwork_events *e, u64 time, u32 cpu, u32 prev, u32 next, bool runnable)
{
	const struct kwork_event ev = {
		.kind = KWORK_EVENT_SWITCH, .time = time, .cpu = cpu, .pid = prev, .tid = prev, .comm = "task", .id = next, .name = "next",
		.runnable = runnable,
	};
	struct errmsg err;

	assert_int_equal(kwork_events__add(e, &ev, &err), 0);
}

static void finish(struct kwork_events *e, u64 end, u32 nr_cpus)
{
	struct errmsg err;

	assert_int_equal(kwork_events__finish(e, end, nr_cpus, &err), 0);
}

static const struct kwork_row *find(enum kwork_class class, u64 id, u32 cpu)
{
	for (u32 i = 0; i < results.nr; i++) {
		if (results.key[i].class == class && (u32)results.key[i].id == id && results.key[i].cpu == cpu)
			return &results.row[i];
	}
	return NULL;
}

static void interrupts_are_not_in_the_time_of_a_softirq(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_IRQ) | OF(KWORK_SOFTIRQ));
	struct kwork_events *e = make(&opts, ALL_KINDS);

	add(e, 100, KWORK_EVENT_SOFTIRQ_BEGIN, 0, 7, 9);
	add(e, 110, KWORK_EVENT_IRQ_BEGIN, 0, 7, 36);
	add(e, 115, KWORK_EVENT_IRQ_BEGIN, 0, 7, 40); /* interrupts the first one */
	add(e, 117, KWORK_EVENT_IRQ_END, 0, 7, 40);
	add(e, 130, KWORK_EVENT_IRQ_END, 0, 7, 36);
	add(e, 150, KWORK_EVENT_SOFTIRQ_END, 0, 7, 9);
	finish(e, 200, 1);
	assert_int_equal(find(KWORK_SOFTIRQ, 9, 0)->run.total, 30);
	assert_int_equal(find(KWORK_SOFTIRQ, 9, 0)->run.begin, 100);
	assert_int_equal(find(KWORK_SOFTIRQ, 9, 0)->run.end, 150);
	assert_int_equal(find(KWORK_IRQ, 36, 0)->run.total, 18);
	assert_int_equal(find(KWORK_IRQ, 40, 0)->run.total, 2);
	assert_string_equal(find(KWORK_IRQ, 40, 0)->name, "name");
	kwork_events__delete(e);
}

static void functions_of_timers_and_tasklets_interrupt_each_other(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_SOFTIRQ) | OF(KWORK_TIMER) | OF(KWORK_HRTIMER) | OF(KWORK_TASKLET));
	struct kwork_events *e = make(&opts, ALL_KINDS);

	add(e, 100, KWORK_EVENT_SOFTIRQ_BEGIN, 0, 7, 1);
	add(e, 110, KWORK_EVENT_TIMER_BEGIN, 0, 7, 21);
	add(e, 112, KWORK_EVENT_IRQ_BEGIN, 0, 7, 36);
	add(e, 120, KWORK_EVENT_IRQ_END, 0, 7, 36);
	add(e, 122, KWORK_EVENT_HRTIMER_BEGIN, 0, 7, 31); /* in the interrupt of a timer, which is not seen */
	add(e, 125, KWORK_EVENT_HRTIMER_END, 0, 7, 31);
	add(e, 130, KWORK_EVENT_TIMER_END, 0, 7, 21);
	add(e, 131, KWORK_EVENT_TASKLET_BEGIN, 0, 7, 41);
	add(e, 138, KWORK_EVENT_TASKLET_END, 0, 7, 41);
	add(e, 150, KWORK_EVENT_SOFTIRQ_END, 0, 7, 1);
	add(e, 160, KWORK_EVENT_HRTIMER_BEGIN, 0, 7, 31); /* runs until the end */
	finish(e, 200, 1);
	assert_int_equal(find(KWORK_SOFTIRQ, 1, 0)->run.total, 50 - 8);
	assert_int_equal(find(KWORK_TIMER, 1021, 0)->run.total, 20 - 8);
	assert_int_equal(find(KWORK_TIMER, 1021, 0)->run.begin, 110);
	assert_int_equal(find(KWORK_TASKLET, 1041, 0)->run.total, 7);
	assert_int_equal(find(KWORK_HRTIMER, 1031, 0)->run.count, 2);
	assert_int_equal(find(KWORK_HRTIMER, 1031, 0)->run.total, 3 + 40);
	assert_int_equal(kwork_events__totals(e)->open, 1);
	assert_int_equal(kwork_events__totals(e)->unended, 0);
	kwork_events__delete(e);
}

/* Of those that are left, none takes the place of others for ever, nor the end of another. */
static void functions_without_end_or_begin(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_TIMER) | OF(KWORK_HRTIMER));
	struct kwork_events *e = make(&opts, ALL_KINDS);

	for (int i = 0; i < 2 * KWORK_MAX_CALLS + 1; i++)
		add(e, 100 + i, KWORK_EVENT_TIMER_BEGIN, 0, 7, 50 + i);
	add(e, 120, KWORK_EVENT_HRTIMER_BEGIN, 0, 7, 31);
	add(e, 121, KWORK_EVENT_HRTIMER_END, 0, 7, 32); /* of another one, whose begin was not seen */
	add(e, 130, KWORK_EVENT_HRTIMER_END, 0, 7, 31);
	add(e, 140, KWORK_EVENT_TIMER_END, 0, 7, 50); /* was forgotten */
	add(e, 150, KWORK_EVENT_SOFTIRQ_BEGIN, 0, 7, 1);
	finish(e, 200, 1);
	assert_int_equal(find(KWORK_HRTIMER, 1031, 0)->run.total, 10);
	assert_null(find(KWORK_HRTIMER, 1032, 0));
	assert_null(find(KWORK_TIMER, 1050, 0));
	assert_int_equal(kwork_events__totals(e)->unended, 2 * KWORK_MAX_CALLS + 1);
	kwork_events__delete(e);
}

static void other_cpus_interrupt_as_devices_do(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_IRQ) | OF(KWORK_IPI) | OF(KWORK_HRTIMER) | OF(KWORK_TASK));
	struct kwork_events *e = make(&opts, ALL_KINDS);

	switch_to(e, 100, 0, 9, 7, false);
	add(e, 110, KWORK_EVENT_IPI_BEGIN, 0, 7, 36); /* a vector with the number of an interrupt */
	add(e, 114, KWORK_EVENT_IPI_END, 0, 7, 36);
	add(e, 120, KWORK_EVENT_IRQ_BEGIN, 0, 7, 36);
	add(e, 121, KWORK_EVENT_IRQ_END, 0, 7, 36);
	add(e, 130, KWORK_EVENT_IPI_BEGIN, 0, 7, 0xec);
	add(e, 131, KWORK_EVENT_HRTIMER_BEGIN, 0, 7, 31);
	add(e, 136, KWORK_EVENT_HRTIMER_END, 0, 7, 31);
	add(e, 140, KWORK_EVENT_IPI_END, 0, 7, 0xec);
	add(e, 190, KWORK_EVENT_IPI_BEGIN, 0, 7, 0xfd); /* runs until the end */
	finish(e, 200, 1);
	assert_int_equal(find(KWORK_IPI, 36, 0)->run.total, 4);
	assert_int_equal(find(KWORK_IRQ, 36, 0)->run.total, 1);
	assert_int_equal(find(KWORK_IPI, 0xec, 0)->run.total, 10);
	assert_int_equal(find(KWORK_HRTIMER, 1031, 0)->run.total, 5);
	assert_int_equal(find(KWORK_IPI, 0xfd, 0)->run.total, 10);
	assert_int_equal(find(KWORK_TASK, 7, 0)->run.total, 100 - 4 - 1 - 10 - 10);
	assert_int_equal(results.cpu[0].irq, 4 + 1 + 10 + 10);
	kwork_events__delete(e);
}

static void the_first_raise_counts(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_SOFTIRQ));
	struct kwork_events *e = make(&opts, ALL_KINDS);

	add(e, 100, KWORK_EVENT_RAISE, 0, 7, 3);
	add(e, 140, KWORK_EVENT_RAISE, 0, 7, 3);
	add(e, 150, KWORK_EVENT_RAISE, 1, 8, 3); /* of another CPU */
	add(e, 160, KWORK_EVENT_SOFTIRQ_BEGIN, 0, 7, 3);
	add(e, 165, KWORK_EVENT_RAISE, 0, 7, 3); /* while it runs: for the next time */
	add(e, 170, KWORK_EVENT_SOFTIRQ_END, 0, 7, 3);
	add(e, 180, KWORK_EVENT_SOFTIRQ_BEGIN, 0, 7, 3);
	add(e, 190, KWORK_EVENT_SOFTIRQ_END, 0, 7, 3);
	finish(e, 200, 2);
	assert_int_equal(find(KWORK_SOFTIRQ, 3, 0)->wait.count, 2);
	assert_int_equal(find(KWORK_SOFTIRQ, 3, 0)->wait.total, 60 + 15);
	assert_int_equal(find(KWORK_SOFTIRQ, 3, 0)->wait.greatest, 60);
	assert_int_equal(find(KWORK_SOFTIRQ, 3, 0)->wait.begin, 100);
	kwork_events__delete(e);
}

static void works_are_summed_by_function_wherever_they_were_queued(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_WORK));
	struct kwork_events *e = make(&opts, ALL_KINDS);
	struct errmsg err;

	for (u64 work = 1; work <= 600; work++) { /* each one lives once, and runs on another CPU */
		struct kwork_event ev = { .kind = KWORK_EVENT_QUEUE, .time = 1000 * work, .cpu = 0, .tid = 7, .comm = "task", .id = work };

		assert_int_equal(kwork_events__add(e, &ev, &err), 0);
		ev.kind = KWORK_EVENT_ACTIVATE;
		ev.time += 10;
		assert_int_equal(kwork_events__add(e, &ev, &err), 0);
		ev = (struct kwork_event){ .kind = KWORK_EVENT_WORK_BEGIN, .time = 1000 * work + 50, .cpu = 1, .tid = 9, .comm = "worker", .id = work,
					   .function = 42 };
		assert_int_equal(kwork_events__add(e, &ev, &err), 0);
		ev.kind = KWORK_EVENT_WORK_END;
		ev.time += 5;
		assert_int_equal(kwork_events__add(e, &ev, &err), 0);
	}
	finish(e, 1000000, 2);
	assert_int_equal(results.nr, 1);
	assert_int_equal(find(KWORK_WORK, 42, 1)->run.count, 600);
	assert_int_equal(find(KWORK_WORK, 42, 1)->run.total, 600 * 5);
	assert_int_equal(find(KWORK_WORK, 42, 1)->wait.count, 600);
	assert_int_equal(find(KWORK_WORK, 42, 1)->wait.total, 600 * 50);
	assert_int_equal(find(KWORK_WORK, 42, 1)->queued.total, 600 * 10);
	assert_int_equal(kwork_events__totals(e)->early, 0);
	kwork_events__delete(e);
}

/* A file without workqueue_queue_work, as other perfs record it */
static void activation_is_the_begin_of_a_wait_if_nothing_else_is_known(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_WORK));
	struct kwork_events *e = make(&opts, ALL_KINDS & ~(1U << KWORK_EVENT_QUEUE));

	add(e, 100, KWORK_EVENT_ACTIVATE, 0, 7, 5);
	add(e, 130, KWORK_EVENT_WORK_BEGIN, 0, 9, 5);
	add(e, 140, KWORK_EVENT_WORK_END, 0, 9, 5);
	add(e, 150, KWORK_EVENT_WORK_BEGIN, 0, 9, 6); /* queued before */
	add(e, 160, KWORK_EVENT_WORK_END, 0, 9, 6);
	finish(e, 200, 1);
	assert_int_equal(find(KWORK_WORK, 1005, 0)->wait.total, 30);
	assert_int_equal(find(KWORK_WORK, 1006, 0)->wait.count, 0);
	assert_int_equal(find(KWORK_WORK, 1006, 0)->run.count, 1);
	assert_int_equal(kwork_events__totals(e)->early, 1);
	kwork_events__delete(e);
}

static void sleep_preemption_and_interrupts_are_not_in_the_time_of_a_work(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_WORK));
	struct kwork_events *e = make(&opts, ALL_KINDS);

	add(e, 100, KWORK_EVENT_WORK_BEGIN, 0, 9, 5);
	switch_to(e, 110, 0, 9, 7, false);  /* sleeps after 10 */
	switch_to(e, 500, 1, 3, 9, false);  /* goes on on another CPU */
	add(e, 505, KWORK_EVENT_IRQ_BEGIN, 1, 9, 36);
	add(e, 508, KWORK_EVENT_IRQ_END, 1, 9, 36);
	switch_to(e, 520, 1, 9, 3, true);   /* preempted after 17 more */
	switch_to(e, 560, 1, 3, 9, false);
	add(e, 565, KWORK_EVENT_WORK_END, 1, 9, 5);
	finish(e, 600, 2);
	assert_int_equal(results.nr, 1);
	assert_int_equal(find(KWORK_WORK, 1005, 1)->run.total, 10 + 17 + 5);
	kwork_events__delete(e);
}

static void all_time_belongs_to_somebody(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_TASK) | OF(KWORK_IRQ) | OF(KWORK_SOFTIRQ));
	struct kwork_events *e = make(&opts, ALL_KINDS);
	u64 sum = 0;

	add(e, 100, KWORK_EVENT_RAISE, 0, 7, 1);
	add(e, 100, KWORK_EVENT_RAISE, 1, 8, 1); /* it spins until the end: no switch tells of it */
	add(e, 120, KWORK_EVENT_IRQ_BEGIN, 0, 7, 36);
	add(e, 130, KWORK_EVENT_IRQ_END, 0, 7, 36);
	add(e, 131, KWORK_EVENT_SOFTIRQ_BEGIN, 0, 7, 1);
	add(e, 139, KWORK_EVENT_SOFTIRQ_END, 0, 7, 1);
	switch_to(e, 200, 0, 7, 0, false); /* has run since the begin */
	switch_to(e, 400, 0, 0, 9, false); /* runs until the end */
	finish(e, 1100, 2);
	for (u32 i = 0; i < results.nr; i++)
		sum += results.row[i].run.total;
	assert_int_equal(find(KWORK_TASK, 7, 0)->run.total, 100 - 10 - 8);
	assert_int_equal(find(KWORK_TASK, 8, 0)->run.total, 1000);
	assert_int_equal(find(KWORK_TASK, 9, 0)->run.total, 700);
	assert_string_equal(find(KWORK_TASK, 9, 0)->name, "next");
	assert_int_equal(results.nr_cpus, 2);
	assert_int_equal(results.cpu[0].elapsed, 1000);
	assert_int_equal(results.cpu[0].idle, 200);
	assert_int_equal(results.cpu[0].irq, 10);
	assert_int_equal(results.cpu[0].softirq, 8);
	assert_int_equal(sum + results.cpu[0].idle + results.cpu[1].idle, 2000);
	kwork_events__delete(e);
}

static void tasks_wait_from_waking_and_from_preemption(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_TASK));
	struct kwork_events *e = make(&opts, ALL_KINDS);
	const struct kwork_row *row;

	switch_to(e, 100, 0, 9, 7, false);
	add(e, 200, KWORK_EVENT_WAKING, 0, 7, 9);
	add(e, 210, KWORK_EVENT_WAKING, 0, 7, 9); /* it waits already */
	switch_to(e, 230, 0, 7, 9, true);	  /* 7 is preempted */
	add(e, 240, KWORK_EVENT_WAKING, 1, 3, 9); /* it runs, and does not sleep after all */
	switch_to(e, 330, 0, 9, 7, false);
	add(e, 500, KWORK_EVENT_WAKING, 0, 7, 9);
	finish(e, 900, 1);
	row = find(KWORK_TASK, 9, 0);
	assert_int_equal(row->wait.count, 2); /* the second one goes on at the end */
	assert_int_equal(row->wait.total, 30 + 400);
	row = find(KWORK_TASK, 7, 0);
	assert_int_equal(row->wait.total, 100);
	assert_int_equal(kwork_events__totals(e)->waiting, 1);
	kwork_events__delete(e);
}

static void ends_without_begin_and_begins_without_end_do_no_harm(void **state)
{
	const struct kwork_opts opts = opts_for(OF(KWORK_IRQ) | OF(KWORK_SOFTIRQ) | OF(KWORK_WORK));
	struct kwork_events *e = make(&opts, ALL_KINDS);

	add(e, 100, KWORK_EVENT_IRQ_END, 0, 7, 36);
	add(e, 110, KWORK_EVENT_SOFTIRQ_END, 0, 7, 1);
	add(e, 120, KWORK_EVENT_WORK_END, 0, 7, 1);
	for (u64 i = 0; i < 100; i++)
		add(e, 200 + i, KWORK_EVENT_IRQ_BEGIN, 0, 7, i);
	add(e, 400, KWORK_EVENT_IRQ_END, 0, 7, 99);
	add(e, 410, KWORK_EVENT_SOFTIRQ_BEGIN, 0, 7, 1);
	add(e, 420, KWORK_EVENT_SOFTIRQ_END, 0, 7, 2);
	add(e, 430, KWORK_EVENT_RAISE, KWORK_MAX_CPUS, 7, 2);
	finish(e, 500, 1);
	assert_int_equal(find(KWORK_IRQ, 99, 0)->run.count, 1);
	assert_null(find(KWORK_SOFTIRQ, 2, 0));
	assert_int_equal(kwork_events__nr_malformed(e), 1);
	assert_true(kwork_events__totals(e)->unended > 90);
	kwork_events__delete(e);
}

static void each_run_is_passed_with_its_wait(void **state)
{
	struct kwork_opts opts = opts_for(OF(KWORK_SOFTIRQ));
	struct kwork_events *e;

	opts.each = true;
	e = make(&opts, ALL_KINDS);
	add(e, 100, KWORK_EVENT_RAISE, 0, 7, 3);
	add(e, 160, KWORK_EVENT_SOFTIRQ_BEGIN, 0, 7, 3);
	add(e, 170, KWORK_EVENT_SOFTIRQ_END, 0, 7, 3);
	finish(e, 200, 1);
	assert_int_equal(results.nr_records, 1);
	assert_int_equal(results.record[0].ns, 10);
	assert_int_equal(results.record[0].wait, 60);
	assert_int_equal(results.record[0].raised, 100);
	kwork_events__delete(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupts_are_not_in_the_time_of_a_softirq),
		cmocka_unit_test(functions_of_timers_and_tasklets_interrupt_each_other),
		cmocka_unit_test(functions_without_end_or_begin),
		cmocka_unit_test(other_cpus_interrupt_as_devices_do),
		cmocka_unit_test(the_first_raise_counts),
		cmocka_unit_test(works_are_summed_by_function_wherever_they_were_queued),
		cmocka_unit_test(activation_is_the_begin_of_a_wait_if_nothing_else_is_known),
		cmocka_unit_test(sleep_preemption_and_interrupts_are_not_in_the_time_of_a_work),
		cmocka_unit_test(all_time_belongs_to_somebody),
		cmocka_unit_test(tasks_wait_from_waking_and_from_preemption),
		cmocka_unit_test(ends_without_begin_and_begins_without_end_do_no_harm),
		cmocka_unit_test(each_run_is_passed_with_its_wait),
	};

	return cmocka_run_group_tests_name("kwork-events", tests, NULL, NULL);
}
