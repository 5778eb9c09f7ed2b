// SPDX-License-Identifier: GPL-2.0
/* To whom a CPU's time belongs, event by event: util/bpf_skel/kwork-account.bpf.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "util/bpf_skel/kwork-account.bpf.h"

#define BEGIN 1000

static struct kwork_cpu cpu;

static int setup(void **state)
{
	memset(&cpu, 0, sizeof(cpu));
	return 0;
}

static void each_time_has_one_owner(void **state)
{
	struct kwork_run *run;
	__u64 since, ns;

	kwork_cpu__begin_irq(&cpu, 7, 1100, BEGIN);
	kwork_cpu__begin_irq(&cpu, 8, 1110, BEGIN);
	run = kwork_cpu__end_irq(&cpu, 8, 1140, BEGIN);
	assert_non_null(run);
	assert_int_equal(run->ns, 30);
	run = kwork_cpu__end_irq(&cpu, 7, 1145, BEGIN);
	assert_non_null(run);
	assert_int_equal(run->ns, 15);
	kwork_cpu__begin_softirq(&cpu, 3, 1145, BEGIN);
	run = kwork_cpu__end_softirq(&cpu, 3, 1195, BEGIN);
	assert_non_null(run);
	assert_int_equal(run->ns, 50);
	ns = kwork_cpu__switch(&cpu, 1200, BEGIN, &since);
	assert_int_equal(ns, 105);
	assert_int_equal(since, BEGIN);
	ns = kwork_cpu__switch(&cpu, 1260, BEGIN, &since);
	assert_int_equal(ns, 60);
	assert_int_equal(since, 1200);
	assert_int_equal(cpu.task_ns + cpu.irq_ns + cpu.softirq_ns, 1260 - BEGIN);
	assert_int_equal(cpu.unended, 0);
}

/* It has counted up to its own time: what the caller takes now is older, and counts nothing. */
static void an_interrupt_may_come_after_the_time_was_taken(void **state)
{
	__u64 since;

	kwork_cpu__charge(&cpu, 1100, BEGIN);
	kwork_cpu__begin_irq(&cpu, 7, 1150, BEGIN);
	kwork_cpu__end_irq(&cpu, 7, 1170, BEGIN);
	kwork_cpu__charge(&cpu, 1140, BEGIN);
	assert_int_equal(cpu.task_ns, 150);
	assert_int_equal(cpu.irq_ns, 20);
	kwork_cpu__switch(&cpu, 1200, BEGIN, &since);
	assert_int_equal(cpu.task_ns, 180);
	assert_int_equal(cpu.task_ns + cpu.irq_ns, 1200 - BEGIN);
}

static void ends_that_are_missing_are_counted(void **state)
{
	struct kwork_run *run;
	__u64 since;

	kwork_cpu__begin_irq(&cpu, 7, 1100, BEGIN);
	kwork_cpu__begin_irq(&cpu, 8, 1110, BEGIN);
	run = kwork_cpu__end_irq(&cpu, 7, 1150, BEGIN);
	assert_non_null(run);
	assert_int_equal(cpu.unended, 1);
	assert_null(kwork_cpu__end_irq(&cpu, 9, 1160, BEGIN));
	assert_int_equal(cpu.unended, 1);
	for (int i = 0; i < KWORK_MAX_IRQS + 1; i++)
		kwork_cpu__begin_irq(&cpu, i, 1170, BEGIN);
	assert_int_equal(cpu.unended, 1 + KWORK_MAX_IRQS);
	assert_int_equal(cpu.nr_irqs, 1);
	kwork_cpu__switch(&cpu, 1200, BEGIN, &since);
	assert_int_equal(cpu.unended, 2 + KWORK_MAX_IRQS);
	assert_int_equal(cpu.nr_irqs, 0);
}

static void softirqs_wait_from_their_first_raise_on(void **state)
{
	kwork_cpu__raise(&cpu, 3, 1100);
	kwork_cpu__raise(&cpu, 3, 1150);
	kwork_cpu__raise(&cpu, 4, 1170);
	kwork_cpu__begin_softirq(&cpu, 3, 1180, BEGIN);
	assert_int_equal(cpu.softirq.raised, 1100);
	assert_int_equal(cpu.softirq.wait, 80);
	assert_non_null(kwork_cpu__end_softirq(&cpu, 3, 1190, BEGIN));
	/* Each raise is of one run. */
	kwork_cpu__begin_softirq(&cpu, 3, 1200, BEGIN);
	assert_int_equal(cpu.softirq.wait, 0);
	kwork_cpu__raise(&cpu, 3, 1210); /* while it runs: of the next one */
	assert_null(kwork_cpu__end_softirq(&cpu, 4, 1220, BEGIN));
	assert_int_equal(cpu.unended, 1);
	kwork_cpu__begin_softirq(&cpu, 3, 1230, BEGIN);
	assert_int_equal(cpu.softirq.wait, 20);
}

static void calls_lie_in_one_another(void **state)
{
	struct kwork_call *call;

	kwork_cpu__begin_call(&cpu, KWORK_TIMER, 0x100, 1, 1100, BEGIN);
	kwork_cpu__begin_call(&cpu, KWORK_TIMER, 0x200, 2, 1110, BEGIN);
	kwork_cpu__begin_call(&cpu, KWORK_TIMER, 0x300, 3, 1120, BEGIN);
	call = kwork_cpu__end_call(&cpu, 0x200, 1150, BEGIN); /* the end of the one inside of it is missing */
	assert_non_null(call);
	assert_int_equal(call->run.ns, 40);
	assert_int_equal(call->run.id, 2);
	assert_int_equal(cpu.unended, 1);
	kwork_cpu__leave_call(&cpu);
	assert_int_equal(cpu.nr_calls, 1);
	assert_null(kwork_cpu__end_call(&cpu, 0x200, 1160, BEGIN));
	call = kwork_cpu__end_call(&cpu, 0x100, 1170, BEGIN);
	assert_non_null(call);
	assert_int_equal(call->run.ns, 70);
	kwork_cpu__leave_call(&cpu);
	assert_int_equal(cpu.nr_calls, 0);
	kwork_cpu__leave_call(&cpu);
	assert_int_equal(cpu.nr_calls, 0);
}

/* A work is paused while another task has the CPU, or an interrupt. */
static void works_count_the_time_of_their_task(void **state)
{
	struct kwork_queued queued = { .queued = 1050 };
	struct kwork_run run = { 0 };
	__u64 since;

	kwork_cpu__charge(&cpu, 1100, BEGIN);
	kwork_run__begin_work(&run, &cpu, 5, 1100, &queued);
	assert_int_equal(run.wait, 50);
	kwork_cpu__begin_irq(&cpu, 7, 1130, BEGIN);
	kwork_cpu__end_irq(&cpu, 7, 1150, BEGIN);
	kwork_cpu__switch(&cpu, 1160, BEGIN, &since);
	kwork_run__pause(&run, &cpu);
	assert_int_equal(run.ns, 40);
	kwork_cpu__switch(&cpu, 1500, BEGIN, &since);
	kwork_run__resume(&run, &cpu);
	kwork_cpu__charge(&cpu, 1510, BEGIN);
	kwork_run__pause(&run, &cpu);
	assert_int_equal(run.ns, 50);
	kwork_run__begin_work(&run, &cpu, 5, 1600, NULL);
	assert_int_equal(run.wait, 0);
}

static void the_longest_one_has_its_place(void **state)
{
	struct kwork_times times = { 0 };

	kwork_times__add(&times, 0, 10, 20);
	assert_int_equal(times.begin, 10);
	kwork_times__add(&times, 50, 100, 150);
	kwork_times__add(&times, 50, 200, 250); /* as long: the first one stays */
	kwork_times__add(&times, 20, 300, 320);
	assert_int_equal(times.count, 4);
	assert_int_equal(times.total, 120);
	assert_int_equal(times.greatest, 50);
	assert_int_equal(times.begin, 100);
	assert_int_equal(times.end, 150);
}

/* Up to its begin the time is the task's, and calls whose end is missing are over. */
static void a_softirq_begins(void **state)
{
	kwork_cpu__begin_call(&cpu, KWORK_TIMER, 0x100, 1, 1050, BEGIN);
	kwork_cpu__begin_softirq(&cpu, 3, 1100, BEGIN);
	assert_int_equal(cpu.task_ns, 100);
	assert_int_equal(cpu.unended, 1);
	assert_int_equal(cpu.nr_calls, 0);
	assert_null(kwork_cpu__end_call(&cpu, 0x100, 1120, BEGIN));
	kwork_cpu__end_softirq(&cpu, 3, 1150, BEGIN);
	assert_int_equal(cpu.task_ns, 100);
	assert_int_equal(cpu.softirq_ns, 50);
	assert_int_equal(cpu.unended, 1);
	/* The next one has its own time. */
	kwork_cpu__begin_softirq(&cpu, 3, 1160, BEGIN);
	kwork_cpu__end_softirq(&cpu, 3, 1170, BEGIN);
	assert_int_equal(cpu.softirq.ns, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_time_has_one_owner, setup),
		cmocka_unit_test_setup(an_interrupt_may_come_after_the_time_was_taken, setup),
		cmocka_unit_test_setup(ends_that_are_missing_are_counted, setup),
		cmocka_unit_test_setup(softirqs_wait_from_their_first_raise_on, setup),
		cmocka_unit_test_setup(calls_lie_in_one_another, setup),
		cmocka_unit_test_setup(works_count_the_time_of_their_task, setup),
		cmocka_unit_test_setup(the_longest_one_has_its_place, setup),
		cmocka_unit_test_setup(a_softirq_begins, setup),
	};

	return cmocka_run_group_tests_name("kwork-account", tests, NULL, NULL);
}
