// SPDX-License-Identifier: GPL-2.0
/* Off-CPU time: the program of util/bpf_skel/offcpu.bpf.c in user space. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include "util/bpf_skel/offcpu.bpf.c"

static struct host_task task_a, task_b, task_idle;
static struct task_struct *a, *b, *idle;

static int setup(void **state)
{
	host_reset();
	a = host_task(&task_a, 10, 10, "a");
	b = host_task(&task_b, 20, 20, "b");
	idle = host_task(&task_idle, 0, 0, "swapper");
	host.now = 1000;
	target_config.all_tasks = true;
	began_at = 1000;
	ended_at = WALL_NEVER;
	long_ns = 0;
	wanted_states = OFFCPU_SLEEPING | OFFCPU_DISK;
	filter_early = true;
	has_filter = false;
	wakers = true;
	return 0;
}

static struct offcpu_counts *counts(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&offcpu_counts, &zero);
}

static void switch_to(struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	host.task = prev;
	assert_int_equal(note_switch(NULL, false, prev, next, prev_state), 0);
	host.task = next;
}

/* The last sleep that was sent, after stacks */
static struct offcpu_sleep *last_sleep(void)
{
	struct offcpu_sleep *sleep;

	assert_true(host.nr_records > 0);
	sleep = host.record[host.nr_records - 1].data;
	assert_int_equal(sleep->type, OFFCPU_SLEEP);
	return sleep;
}

static void sleeps_have_their_length(void **state)
{
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 300;
	switch_to(idle, a, 0);
	assert_int_equal(last_sleep()->ns, 300);
	assert_int_equal(last_sleep()->end, host.now);
	assert_int_equal(last_sleep()->who.tid, 10);
	assert_int_equal(last_sleep()->state, OFFCPU_SLEEPING);
	assert_true(last_sleep()->stack);
	switch_to(a, idle, 0); /* preempted */
	host.now += 300;
	switch_to(idle, a, 0);
	assert_int_equal(counts()->sent, 1);
}

/* The kernel hides that it is back: it has run since as long as the kernel says. */
static void a_hidden_return_is_made_up_for(void **state)
{
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 300;
	a->se.sum_exec_runtime += 80;
	switch_to(a, idle, TASK_UNINTERRUPTIBLE);
	assert_int_equal(counts()->sent, 1);
	assert_int_equal(last_sleep()->ns, 220);
	assert_int_equal(last_sleep()->end, 1220);
	host.now += 50;
	a->se.sum_exec_runtime += 20;
	note_exit(NULL, a);
	assert_int_equal(counts()->sent, 2);
	assert_int_equal(last_sleep()->ns, 30);
	/* More than there was: it is not known. */
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 10;
	a->se.sum_exec_runtime += 500;
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	assert_int_equal(counts()->sent, 2);
}

static void sleeps_after_the_end_do_not_begin(void **state)
{
	ended_at = 2000;
	host.now = 1990;
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	assert_int_equal(counts()->seen, 1);
	host.now = 2000;
	switch_to(idle, a, 0);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	assert_int_equal(counts()->seen, 1);
}

static void a_waker_is_of_one_sleep(void **state)
{
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	assert_int_equal(note_waking(NULL, a), 0);
	host.now += 300;
	switch_to(idle, a, 0);
	assert_true(last_sleep()->waker);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 300;
	switch_to(idle, a, 0); /* nobody saw who woke it */
	assert_false(last_sleep()->waker);
}

static void what_is_lost_is_counted(void **state)
{
	host.no_stack = true;
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	assert_int_equal(counts()->lost_stacks, 1);
	host.ring_full = true;
	host.now += 300;
	switch_to(idle, a, 0);
	assert_int_equal(counts()->lost, 1);
	assert_int_equal(counts()->lost_ns, 300);
	host.no_storage = &tasks;
	switch_to(b, idle, TASK_INTERRUPTIBLE);
	assert_int_equal(counts()->untracked, 1);
}

static void visit(struct task_struct *task)
{
	struct bpf_iter_meta meta = { 0 };
	struct bpf_iter__task iter = { .meta = &meta, .task = task };

	assert_int_equal(visit_task(&iter), 0);
}

static void who_sleeps_at_the_begin_counts_from_then(void **state)
{
	a->start_boottime = 77;
	a->nvcsw = 5;
	a->nivcsw = 2;
	a->__state = TASK_INTERRUPTIBLE;
	host.now += 40;
	visit(a);
	host.now += 60;
	switch_to(idle, a, 0);
	assert_int_equal(last_sleep()->ns, 100);
	assert_int_equal(last_sleep()->state, OFFCPU_SLEEPING);
	assert_int_equal(last_sleep()->stack, offcpu_seed(10, 77, 7));
	assert_int_not_equal(offcpu_seed(10, 77, 7), offcpu_seed(10, 77, 8));
	assert_int_not_equal(offcpu_seed(10, 77, 7), offcpu_seed(11, 77, 7));
	assert_int_not_equal(offcpu_seed(10, 77, 7), offcpu_seed(10, 78, 7));
	/* Those that programs have seen go to sleep are theirs. */
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	visit(a);
	host.now += 30;
	switch_to(idle, a, 0);
	assert_int_equal(last_sleep()->ns, 30);
	assert_int_equal(counts()->sent, 2);
}

static void others_are_not_noted_at_the_begin(void **state)
{
	a->__state = TASK_INTERRUPTIBLE;
	a->on_cpu = 1;
	visit(a);
	a->on_cpu = 0;
	a->__state = 4; /* stopped */
	visit(a);
	a->__state = TASK_INTERRUPTIBLE;
	a->exit_state = 16;
	visit(a);
	target_config.all_tasks = false;
	a->exit_state = 0;
	visit(a);
	host.now += 50;
	switch_to(idle, a, 0);
	assert_int_equal(counts()->sent, 0);
	assert_int_equal(counts()->seen, 0);
}

/* It has woken up while the program looked at it. */
static void a_note_that_is_late_has_its_end_made_up(void **state)
{
	switch_to(a, idle, TASK_INTERRUPTIBLE); /* user space has this stack */
	host.now += 10;
	switch_to(idle, a, 0);
	began_at = host.now;
	a->__state = TASK_INTERRUPTIBLE;
	visit(a);
	host.now += 100;
	a->se.sum_exec_runtime += 30;
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	assert_int_equal(last_sleep()->ns, 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sleeps_have_their_length, setup),
		cmocka_unit_test_setup(a_hidden_return_is_made_up_for, setup),
		cmocka_unit_test_setup(sleeps_after_the_end_do_not_begin, setup),
		cmocka_unit_test_setup(a_waker_is_of_one_sleep, setup),
		cmocka_unit_test_setup(what_is_lost_is_counted, setup),
		cmocka_unit_test_setup(who_sleeps_at_the_begin_counts_from_then, setup),
		cmocka_unit_test_setup(others_are_not_noted_at_the_begin, setup),
		cmocka_unit_test_setup(a_note_that_is_late_has_its_end_made_up, setup),
	};

	return cmocka_run_group_tests_name("offcpu", tests, NULL, NULL);
}
