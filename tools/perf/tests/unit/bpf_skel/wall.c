// SPDX-License-Identifier: GPL-2.0
/* Wall-clock time, event by event: the program of util/bpf_skel/wall.bpf.c in user space. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include "util/bpf_skel/wall.bpf.c"

#define BEGAN 1000
#define ENDED_AT 100000

static struct host_task task_a, task_b, task_idle;
static struct task_struct *a, *b, *idle;
static struct pt_regs regs;

static int setup(void **state)
{
	host_reset();
	a = host_task(&task_a, 10, 10, "a");
	b = host_task(&task_b, 20, 20, "b");
	idle = host_task(&task_idle, 0, 0, "swapper");
	regs = (struct pt_regs){ 0 };
	host.regs = &regs;
	host.now = BEGAN;
	target_config.all_tasks = true;
	began_at = BEGAN;
	ended_at = ENDED_AT;
	long_ns = 0; /* each span by itself */
	sent_states = 0;
	wakers = true;
	has_filter = false;
	filter_early = true;
	sums_in_use = 0;
	return 0;
}

static struct offcpu_counts *counts(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&offcpu_counts, &zero);
}

/* What the kernel knows of how long it has run, too */
static void run_for(struct task_struct *task, __u64 ns)
{
	host.now += ns;
	task->se.sum_exec_runtime += ns;
}

static void switch_to(struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	host.task = prev;
	assert_int_equal(note_switch(NULL, false, prev, next, prev_state), 0);
	host.task = next;
}

static void sample(bool in_kernel)
{
	struct bpf_perf_event_data ctx = { 0 };

#if defined(__TARGET_ARCH_x86)
	ctx.regs.cs = in_kernel ? 0x10 : 0x33;
#else
	ctx.regs.pstate = in_kernel ? 5 : 0;
#endif
	assert_int_equal(take_run(&ctx), 0);
}

/* The spans of a thread that were sent, in their order. Returns ns of all. */
static __u64 spent(int tid, __u32 states)
{
	__u64 ns = 0;

	for (__u32 i = 0; i < host.nr_records; i++) {
		struct offcpu_sleep *sleep = host.record[i].data;

		if (sleep->type == OFFCPU_SLEEP && sleep->who.tid == tid && sleep->state & states)
			ns += sleep->ns;
	}
	return ns;
}

static struct offcpu_sleep *last_span(void)
{
	struct offcpu_sleep *sleep;

	assert_true(host.nr_records > 0);
	sleep = host.record[host.nr_records - 1].data;
	assert_int_equal(sleep->type, OFFCPU_SLEEP);
	return sleep;
}

#define ALL (~0U)

/* It runs, sleeps, is woken, waits for the CPU, and runs again: each state has its time. */
static void each_state_has_its_time(void **state)
{
	switch_to(idle, a, 0);
	run_for(a, 100);
	sample(false);
	assert_int_equal(spent(10, OFFCPU_USER), 100);
	run_for(a, 20);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 500;
	assert_int_equal(note_wakeup(NULL, a), 0);
	host.now += 30;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_SLEEPING), 500);
	assert_int_equal(spent(10, OFFCPU_PREEMPTED), 30);
	/* The time before it left is the next sample's, and counts once. */
	run_for(a, 7);
	sample(true);
	assert_int_equal(spent(10, OFFCPU_KERNEL), 27);
	run_for(a, 3);
	sample(true);
	assert_int_equal(spent(10, OFFCPU_KERNEL), 30);
	assert_int_equal(spent(10, ALL), host.now - BEGAN);
}

static void only_the_first_wakeup_counts(void **state)
{
	switch_to(idle, a, 0);
	switch_to(a, idle, TASK_UNINTERRUPTIBLE);
	host.now += 40;
	note_wakeup(NULL, a);
	host.now += 50;
	note_wakeup(NULL, a);
	host.now += 60;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_DISK), 40);
	assert_int_equal(spent(10, OFFCPU_PREEMPTED), 110);
	/* Nobody wakes it from its next sleep, as far as the programs see: all of it was sleep. */
	run_for(a, 10);
	switch_to(a, idle, TASK_UNINTERRUPTIBLE);
	host.now += 70;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_DISK), 110);
}

/* A wake-up that comes while it still runs is none of the sleep that follows. */
static void wakeups_of_who_runs_do_not_count(void **state)
{
	switch_to(idle, a, 0);
	run_for(a, 10);
	note_wakeup(NULL, a);
	run_for(a, 10);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 90;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_SLEEPING), 90);
	assert_int_equal(spent(10, OFFCPU_PREEMPTED), 0);
}

/* The kernel hides that it got its CPU: it ran as long as the kernel says, right before it left. */
static void a_hidden_coming_is_made_up_for(void **state)
{
	switch_to(idle, a, 0);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 300;
	run_for(a, 80);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	assert_int_equal(spent(10, OFFCPU_SLEEPING), 300);
	host.now += 5;
	switch_to(idle, a, 0);
	sample(false);
	assert_int_equal(spent(10, OFFCPU_USER), 80);
}

/*
 * The kernel hides that it left: what it did not run in between, it waited for the CPU, or slept if it was
 * woken.
 */
static void a_hidden_leaving_is_made_up_for(void **state)
{
	switch_to(idle, a, 0);
	run_for(a, 60);
	host.now += 200;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_PREEMPTED), 200);
	run_for(a, 5);
	sample(false);
	assert_int_equal(spent(10, OFFCPU_USER), 65);
	assert_int_equal(spent(10, ALL), host.now - BEGAN);
	run_for(a, 40);
	host.now += 100;
	note_wakeup(NULL, a);
	host.now += 8;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_SLEEPING), 100);
	assert_int_equal(spent(10, OFFCPU_PREEMPTED), 208);
}

/* What woke it before says nothing of a sleep whose begin is hidden. */
static void an_old_wakeup_is_none_of_a_hidden_sleep(void **state)
{
	switch_to(idle, a, 0);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 10;
	note_wakeup(NULL, a);
	switch_to(idle, a, 0);
	run_for(a, 30);
	host.now += 100;
	note_wakeup(NULL, a);
	host.now += 8;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_SLEEPING), 110);
	assert_int_equal(spent(10, OFFCPU_PREEMPTED), 8);
	/* The same, where its coming was hidden, too */
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 20;
	note_wakeup(NULL, a);
	run_for(a, 5);
	host.task = a;
	sample(false);
	host.now += 200;
	note_wakeup(NULL, a);
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_SLEEPING), 330);
	assert_int_equal(spent(10, OFFCPU_PREEMPTED), 8);
}

/* Its last time belongs to the place of its last sample. */
static void who_ends_has_all_its_time(void **state)
{
	switch_to(idle, a, 0);
	run_for(a, 100);
	sample(false);
	run_for(a, 33);
	assert_int_equal(note_exit(NULL, a), 0);
	assert_int_equal(spent(10, OFFCPU_USER), 133);
	/* It is not followed any more. */
	run_for(a, 50);
	switch_to(a, idle, 0x80);
	assert_int_equal(spent(10, ALL), 133);
}

static void who_runs_at_the_end_is_shown(void **state)
{
	struct bpf_iter_meta meta = { 0 };
	struct bpf_iter__task iter = { .meta = &meta, .task = a };

	switch_to(idle, a, 0);
	run_for(a, 100);
	sample(false);
	run_for(a, 100);
	note_wakeup(NULL, a); /* it did not sleep: that is of no moment */
	host.now = ENDED_AT + 50;
	assert_int_equal(visit_task(&iter), 0);
	assert_int_equal(spent(10, OFFCPU_USER), ENDED_AT - BEGAN);
	assert_int_equal(spent(10, ALL), ENDED_AT - BEGAN);
}

static void who_sleeps_at_the_end_is_shown(void **state)
{
	struct bpf_iter_meta meta = { 0 };
	struct bpf_iter__task iter = { .meta = &meta, .task = a };

	switch_to(idle, a, 0);
	run_for(a, 20);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 80;
	note_wakeup(NULL, a);
	host.now = ENDED_AT + 50;
	visit_task(&iter);
	assert_int_equal(spent(10, OFFCPU_RUNNING), 20);
	assert_int_equal(spent(10, OFFCPU_SLEEPING), 80);
	assert_int_equal(spent(10, ALL), ENDED_AT - BEGAN);
}

static void threads_begin_when_they_start(void **state)
{
	host.now = BEGAN + 500;
	b->start_time = BEGAN + 400;
	switch_to(idle, b, 0);
	assert_int_equal(spent(20, OFFCPU_PREEMPTED), 100);
	/* One that was there before has the time from the begin on. */
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_PREEMPTED), 500);
}

static void nothing_counts_before_the_begin_and_after_the_end(void **state)
{
	began_at = ended_at = WALL_NEVER;
	host.now = BEGAN - 100;
	switch_to(idle, a, 0);
	began_at = BEGAN;
	ended_at = ENDED_AT;
	host.now = BEGAN + 70;
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 30;
	switch_to(idle, a, 0);
	sample(false);
	assert_int_equal(spent(10, OFFCPU_USER), 70);
	assert_int_equal(spent(10, ALL), 100);
	host.now = ENDED_AT;
	sample(false);
	assert_int_equal(spent(10, ALL), 100);
	assert_null(bpf_task_storage_get(&wall_tasks, idle, 0, 0));
	assert_int_equal(counts()->untracked, 0);
}

/* Sleeps in locks of the kernel, and in those of user space */
static void sleeps_for_locks_are_apart(void **state)
{
	switch_to(idle, a, 0);
	assert_int_equal(note_contention(NULL, a, 0), 0);
	switch_to(a, idle, TASK_UNINTERRUPTIBLE);
	host.now += 40;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_LOCK), 40);
	assert_int_equal(note_lock(NULL, a, 0), 0);
	switch_to(a, idle, TASK_UNINTERRUPTIBLE);
	host.now += 50;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_DISK), 50);
	/* A spinlock is not slept for: who sleeps after it does for another cause. */
	note_contention(NULL, a, LCB_F_SPIN);
	switch_to(a, idle, TASK_UNINTERRUPTIBLE);
	host.now += 60;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_DISK), 110);
}

static void set_syscall(int nr)
{
#if defined(__TARGET_ARCH_x86)
	regs.orig_ax = nr;
#else
	regs.syscallno = nr;
#endif
}

static void waits_in_futex_have_a_state(void **state)
{
#if defined(__TARGET_ARCH_x86)
	static int waits[] = { 202, 449, 455 }, sleeps = 35;
#else
	static int waits[] = { 98, 449, 455 }, sleeps = 101;
#endif

	switch_to(idle, a, 0);
	for (int i = 0; i < 3; i++) {
		set_syscall(waits[i]);
		switch_to(a, idle, TASK_INTERRUPTIBLE);
		host.now += 10;
		switch_to(idle, a, 0);
		assert_int_equal(spent(10, OFFCPU_FUTEX), 10 * (i + 1));
	}
	set_syscall(sleeps);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 10;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_SLEEPING), 10);
}

/* nr: of the frames of the stack with that hash; 0: there is none */
static __u32 nr_frames_of(__u64 hash)
{
	for (__u32 i = 0; i < host.nr_records; i++) {
		struct offcpu_stack *stack = host.record[i].data;

		if (stack->type == OFFCPU_STACK && stack->hash == hash)
			return stack->nr;
	}
	return 0;
}

/* Readers know the maps of the woken one's process only. */
static void wakers_of_other_processes_have_no_user_frames(void **state)
{
	struct offcpu_stack of_kernel = { .nr_kernel = 2, .ip = { 0x77, 0x20 } };

	switch_to(idle, a, 0);
	switch_to(a, b, TASK_INTERRUPTIBLE);
	host.frame[0] = 0x77; /* b's stack */
	assert_int_equal(note_waking(NULL, a), 0);
	host.now += 10;
	note_wakeup(NULL, a);
	host.now += 10;
	switch_to(b, a, 0);
	for (__u32 i = 0; i < host.nr_records; i++) {
		struct offcpu_sleep *sleep = host.record[i].data;

		if (sleep->type == OFFCPU_SLEEP && sleep->who.tid == 10 && sleep->waker)
			assert_int_equal(nr_frames_of(sleep->waker), host.nr_frames);
	}
	assert_int_equal(nr_frames_of(hash_stack(&of_kernel, 2, false)), 2);
}

static void what_is_lost_is_counted(void **state)
{
	switch_to(idle, a, 0);
	run_for(a, 10);
	host.no_stack = true;
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	assert_int_equal(counts()->lost_stacks, 1);
	host.now += 70;
	host.ring_full = true;
	switch_to(idle, a, 0);
	assert_int_equal(counts()->lost, 1);
	assert_int_equal(counts()->lost_ns, 70);
	assert_int_equal(counts()->sent, 0);
	run_for(a, 30);
	sample(false);
	assert_int_equal(counts()->lost_stacks, 2);
	assert_int_equal(counts()->lost, 2);
	assert_int_equal(counts()->lost_ns, 110); /* 10 from before its sleep */
}

static void who_cannot_be_followed_is_counted(void **state)
{
	host.no_storage = &wall_tasks;
	switch_to(idle, a, 0);
	assert_int_equal(counts()->untracked, 1);
	assert_int_equal(host.nr_records, 0);
}

/* Short spans are sums; the map of sums is full: they are sent. */
static void short_spans_are_summed_up(void **state)
{
	long_ns = 1000;
	switch_to(idle, a, 0);
	for (int i = 0; i < 3; i++) {
		switch_to(a, idle, TASK_INTERRUPTIBLE);
		host.now += 50;
		switch_to(idle, a, 0);
	}
	assert_int_equal(counts()->summed, 3);
	assert_int_equal(counts()->sent, 0);
	host.full = &sums0;
	switch_to(a, idle, TASK_UNINTERRUPTIBLE);
	by_state = true;
	host.now += 50;
	switch_to(idle, a, 0);
	assert_int_equal(counts()->spilled, 1);
	assert_int_equal(last_span()->ns, 50);
	by_state = false;
}

/* The kernel's account of what a task ran may be ahead of our clock. A task gets its CPU after it was woken, never before. */
static void a_hidden_coming_is_not_before_the_wakeup(void **state)
{
	switch_to(idle, a, 0);
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 100;
	note_wakeup(NULL, a);
	host.now += 20;
	a->se.sum_exec_runtime += 500;
	switch_to(a, idle, TASK_INTERRUPTIBLE);
	host.now += 7;
	switch_to(idle, a, 0);
	assert_int_equal(spent(10, OFFCPU_SLEEPING), 107);
	assert_int_equal(spent(10, OFFCPU_PREEMPTED), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_state_has_its_time, setup),
		cmocka_unit_test_setup(only_the_first_wakeup_counts, setup),
		cmocka_unit_test_setup(wakeups_of_who_runs_do_not_count, setup),
		cmocka_unit_test_setup(a_hidden_coming_is_made_up_for, setup),
		cmocka_unit_test_setup(a_hidden_leaving_is_made_up_for, setup),
		cmocka_unit_test_setup(an_old_wakeup_is_none_of_a_hidden_sleep, setup),
		cmocka_unit_test_setup(who_ends_has_all_its_time, setup),
		cmocka_unit_test_setup(who_runs_at_the_end_is_shown, setup),
		cmocka_unit_test_setup(who_sleeps_at_the_end_is_shown, setup),
		cmocka_unit_test_setup(threads_begin_when_they_start, setup),
		cmocka_unit_test_setup(nothing_counts_before_the_begin_and_after_the_end, setup),
		cmocka_unit_test_setup(sleeps_for_locks_are_apart, setup),
		cmocka_unit_test_setup(waits_in_futex_have_a_state, setup),
		cmocka_unit_test_setup(wakers_of_other_processes_have_no_user_frames, setup),
		cmocka_unit_test_setup(what_is_lost_is_counted, setup),
		cmocka_unit_test_setup(who_cannot_be_followed_is_counted, setup),
		cmocka_unit_test_setup(short_spans_are_summed_up, setup),
		cmocka_unit_test_setup(a_hidden_coming_is_not_before_the_wakeup, setup),
	};

	return cmocka_run_group_tests_name("wall", tests, NULL, NULL);
}
