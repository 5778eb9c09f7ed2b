// SPDX-License-Identifier: GPL-2.0
/* Counts for tasks: the program of util/bpf_skel/counters.bpf.c in user space. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include "util/bpf_skel/counters.bpf.c"

/* As on new kernels, which read an object as memory of a program */
void *bpf_rdonly_cast(const void *object, __u32 type)
{
	return (void *)object;
}

enum { SWITCHES, CLOCK, FAULTS, CYCLES, NR_EVENTS };

static struct host_task task_a, task_b, task_other;
static struct task_struct *a, *b, *other;
static struct rq rq;
static struct perf_event faults;

static int setup(void **state)
{
	const __u32 index = FAULTS;
	const __u64 object = (unsigned long)&faults;

	host_reset();
	a = host_task(&task_a, 10, 10, "a");
	b = host_task(&task_b, 20, 20, "b");
	other = host_task(&task_other, 30, 30, "other");
	task_a.cfs_rq.rq = task_b.cfs_rq.rq = task_other.cfs_rq.rq = &rq;
	rq.nr_switches = 100;
	faults.count.value = 0;
	host.now = 1000;
	host.task = other;
	host.event = (struct bpf_perf_event_value){ 0 };
	target_config.all_tasks = false;
	target_config.no_events = true;
	counters_config = (struct counters_config){
		.nr_events = NR_EVENTS,
		.nr_cpus = 1,
		.in_memory = 1 << FAULTS,
		.clocks = 1 << CLOCK,
		.switches = 1 << SWITCHES,
	};
	counters_span = 1;
	counters_missed = 0;
	bpf_map_update_elem(&counters_objects, &index, &object, BPF_ANY);
	return 0;
}

static void follow(struct task_struct *task)
{
	struct target_task mark = { 0 };

	bpf_task_storage_get(&target_tasks, task, &mark, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static struct counters_row *row(__u32 nr)
{
	return bpf_map_lookup_elem(&counters_rows, &nr);
}

static void switch_to(struct task_struct *next)
{
	rq.nr_switches++;
	assert_int_equal(counters_switch(NULL, false, host.task, next), 0);
	host.task = next;
}

static void run_for(__u64 ns)
{
	host.now += ns;
	faults.count.value++;
	host.event.counter += 3 * ns;
	host.event.enabled += ns;
	host.event.running += ns / 2;
}

static void what_others_do_does_not_count(void **state)
{
	follow(a);
	follow(b);
	switch_to(other);
	run_for(1000);
	switch_to(a);
	run_for(100);
	switch_to(b);
	run_for(20);
	switch_to(other);
	run_for(5000);
	switch_to(a);
	run_for(3);
	switch_to(other);
	assert_int_equal(row(0)->count[CLOCK], 123);
	assert_int_equal(row(0)->count[FAULTS], 3);
	assert_int_equal(row(0)->count[SWITCHES], 3);
	assert_int_equal(row(0)->count[CYCLES], 369);
	assert_int_equal(row(0)->time, 123);
	assert_int_equal(row(0)->turns[CYCLES].enabled, 123);
	assert_int_equal(row(0)->turns[CYCLES].running, 50 + 10 + 1);
	assert_int_equal(counters_missed, 0);
}

/* The kernel's own counter of switches has ended before the task leaves for the last time. */
static void the_last_switch_of_a_task_does_not_count(void **state)
{
	follow(a);
	switch_to(a);
	run_for(10);
	switch_to(other);
	switch_to(a);
	run_for(10);
	a->exit_state = 16;
	switch_to(other);
	assert_int_equal(row(0)->count[SWITCHES], 1);
	assert_int_equal(row(0)->count[FAULTS], 2);
	/* It may be switched a few times after that. */
	switch_to(a);
	run_for(10);
	switch_to(other);
	assert_int_equal(row(0)->count[SWITCHES], 1);
	assert_int_equal(row(0)->count[FAULTS], 2);
	assert_int_equal(counters_missed, 0);
}

static void hide_switches(int nr)
{
	rq.nr_switches += nr;
}

static void hidden_switches_are_counted(void **state)
{
	follow(a);
	switch_to(other);
	run_for(10);
	hide_switches(1); /* from one that does not matter to another one */
	switch_to(other);
	assert_int_equal(counters_missed, 0);
	hide_switches(2); /* anybody may have run in between */
	switch_to(other);
	assert_int_equal(counters_missed, 2);
	switch_to(a);
	hide_switches(1); /* a has left, and its row took what the other one did */
	switch_to(other);
	assert_int_equal(counters_missed, 3);
	hide_switches(1); /* a came, and nobody knows since when */
	host.task = a;
	switch_to(other);
	assert_int_equal(counters_missed, 4);
	hide_switches(1);
	host.task = b; /* it has exited: it may have been of the target */
	b->exit_state = 16;
	switch_to(other);
	assert_int_equal(counters_missed, 5);
}

/* Between two spans nothing counts, and switches are not looked for. */
static void spans_are_apart(void **state)
{
	follow(a);
	switch_to(a);
	run_for(10);
	switch_to(other);
	switch_to(a);
	counters_span = 0;
	run_for(1000);
	hide_switches(7);
	switch_to(a);
	run_for(1000);
	counters_span = 2;
	assert_int_equal(counters_sync(NULL), 0);
	run_for(5);
	switch_to(other);
	assert_int_equal(row(0)->count[CLOCK], 15);
	assert_int_equal(row(0)->count[FAULTS], 2);
	assert_int_equal(counters_missed, 0);
}

/* A span begins while a task runs: what that did before does not count, even if a switch comes first. */
static void a_switch_may_begin_a_span(void **state)
{
	follow(a);
	switch_to(a);
	counters_span = 2;
	run_for(1000);
	switch_to(a);
	run_for(5);
	switch_to(other);
	assert_int_equal(row(0)->count[CLOCK], 5);
}

static void reading_waits_for_a_rename(void **state)
{
	follow(a);
	switch_to(a);
	run_for(10);
	this_cpu()->busy = 1;
	assert_int_equal(counters_sync(NULL), 1);
	assert_int_equal(row(0)->count[CLOCK], 0);
	this_cpu()->busy = 0;
	assert_int_equal(counters_sync(NULL), 0);
	assert_int_equal(row(0)->count[CLOCK], 10);
}

/* A command counts from its exec on. */
static void an_exec_begins_to_count(void **state)
{
	follow(a);
	((struct target_task *)bpf_task_storage_get(&target_tasks, a, 0, 0))->waits_for_exec = 1;
	a->flags = PF_FORKNOEXEC;
	switch_to(a);
	run_for(1000);
	a->flags = 0;
	assert_int_equal(counters_rename(NULL, a), 0);
	run_for(10);
	switch_to(other);
	assert_int_equal(row(0)->count[CLOCK], 10);
	assert_int_equal(this_cpu()->busy, 0);
}

static void cgroups_have_rows(void **state)
{
	static struct {
		struct cgroup cgroup;
		struct cgroup *ancestors[3];
	} root, child, parent, stranger;
	static struct kernfs_node kn[] = { { 100 }, { 200 }, { 300 }, { 1 } };
	__s32 of_parent = 1;
	__u32 index = 100 % COUNTERS_NR_KNOWN;
	struct counters_known *known;

	root.cgroup.kn = &kn[3];
	parent.ancestors[0] = child.ancestors[0] = stranger.ancestors[0] = &root.cgroup;
	parent.cgroup.kn = &kn[1];
	parent.cgroup.level = 1;
	parent.ancestors[1] = &parent.cgroup;
	child.cgroup.kn = &kn[0];
	child.cgroup.level = 2;
	child.ancestors[1] = &parent.cgroup;
	child.ancestors[2] = &child.cgroup;
	stranger.cgroup.kn = &kn[2];
	stranger.cgroup.level = 1;
	stranger.ancestors[1] = &stranger.cgroup;
	counters_config.by_cgroup = 1;
	bpf_map_update_elem(&counters_cgroups, &kn[1].id, &of_parent, BPF_ANY);
	target_config.all_tasks = true;
	task_a.cgroups.dfl_cgrp = &child.cgroup;
	task_b.cgroups.dfl_cgrp = task_other.cgroups.dfl_cgrp = &stranger.cgroup;
	switch_to(a);
	run_for(10);
	switch_to(b);
	run_for(1000);
	switch_to(a);
	run_for(7);
	switch_to(b);
	assert_int_equal(row(1)->count[CLOCK], 17);
	known = bpf_map_lookup_elem(&counters_known, &index);
	assert_int_equal(known->id, 100); /* it is not searched for again */
	assert_int_equal(known->row, 1);
	/* a moves itself: what it did before counts for the old cgroup. */
	switch_to(a);
	run_for(100);
	task_a.cgroups.dfl_cgrp = &stranger.cgroup;
	assert_int_equal(counters_attach(NULL, &stranger.cgroup, "", a), 0);
	run_for(1000);
	switch_to(b);
	assert_int_equal(row(1)->count[CLOCK], 117);
}

/* On a CPU that came later, perhaps: its place is there, but no event is open. */
static void an_event_that_is_nowhere_counts_nothing(void **state)
{
	const __u32 index = FAULTS;
	const __u64 nowhere = 0;

	bpf_map_update_elem(&counters_objects, &index, &nowhere, BPF_ANY);
	follow(a);
	switch_to(a);
	run_for(10);
	switch_to(other);
	assert_int_equal(row(0)->count[FAULTS], 0);
	assert_int_equal(row(0)->count[CLOCK], 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_others_do_does_not_count, setup),
		cmocka_unit_test_setup(the_last_switch_of_a_task_does_not_count, setup),
		cmocka_unit_test_setup(hidden_switches_are_counted, setup),
		cmocka_unit_test_setup(spans_are_apart, setup),
		cmocka_unit_test_setup(a_switch_may_begin_a_span, setup),
		cmocka_unit_test_setup(reading_waits_for_a_rename, setup),
		cmocka_unit_test_setup(an_exec_begins_to_count, setup),
		cmocka_unit_test_setup(cgroups_have_rows, setup),
		cmocka_unit_test_setup(an_event_that_is_nowhere_counts_nothing, setup),
	};

	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
