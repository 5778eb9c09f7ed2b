// SPDX-License-Identifier: GPL-2.0
/* Which threads are one group of perf stacks, and in what order groups come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/stacks/groups.h"

static struct stacks_groups *groups;
static struct snapshot_task tasks[16];
static struct thread_stack stacks[16];
static u32 nr_tasks;
static struct dso dso, other_dso;
static const char *wait_text = "";

static int setup(void **state)
{
	groups = stacks_groups__new();
	nr_tasks = 0;
	return !groups;
}

static int teardown(void **state)
{
	stacks_groups__delete(groups);
	return 0;
}

static struct snapshot_task *next_task(u32 pid, u32 tid, const char *comm)
{
	struct snapshot_task *task = &tasks[nr_tasks];

	*task = (struct snapshot_task){ .pid = pid, .tid = tid, .state = OFFCPU_SLEEPING, .call = 202, .off_ns = tid };
	strcpy(task->comm, comm);
	stacks[nr_tasks] = (struct thread_stack){ .task = task };
	return task;
}

/* In a function at this address. */
static void add(const char *comm, const struct dso *file, u64 address)
{
	struct location frame[] = { { .dso = (struct dso *)file, .sym_addr = address, .addr = tasks[nr_tasks].pid + address },
				    { .dso = (struct dso *)file, .sym_addr = 7 } };
	const struct callchain chain = { .frame = frame, .nr = 2 };

	assert_int_equal(stacks_groups__add(groups, comm, &stacks[nr_tasks++], &chain, false, wait_text), 0);
}

static void test_equal(void **state)
{
	const struct stacks_group *group;

	next_task(1, 12, "b");
	add("prog", &dso, 100);
	next_task(1, 11, "b");
	add("prog", &dso, 100);
	next_task(1, 13, "a");
	add("prog", &dso, 100);
	assert_int_equal(stacks_groups__sort(groups), 1);
	group = stacks_groups__at(groups, 0);
	assert_int_equal(group->nr, 3);
	assert_int_equal(group->pid, 1);
	assert_int_equal(group->thread[0]->task->tid, 13);
	assert_int_equal(group->thread[1]->task->tid, 11);
	assert_int_equal(group->thread[2]->task->tid, 12);
	assert_int_equal(group->least_ns, 11);
	assert_int_equal(group->greatest_ns, 13);
	assert_int_equal(group->nr_frames, 2);
	assert_int_equal(group->frame[0].sym_addr, 100);
}

static void test_waits(void **state)
{
	static const char *const texts[] = { "for one", "for two", "for two", "", "for three" };
	const struct stacks_group *group;

	for (u32 i = 0; i < 5; i++) {
		next_task(1, 1 + i, "a");
		wait_text = texts[i];
		add("prog", &dso, 100);
	}
	wait_text = "";
	assert_int_equal(stacks_groups__sort(groups), 1);
	group = stacks_groups__at(groups, 0);
	assert_int_equal(group->nr_waits, 3);
	assert_string_equal(group->wait[0].text, "for two");
	assert_int_equal(group->wait[0].nr, 2);
	assert_string_equal(group->wait[1].text, "for one");
	assert_string_equal(group->wait[2].text, "for three");
}

/* One program that runs several times has its code at other addresses each time. */
static void test_processes(void **state)
{
	next_task(1, 1, "a");
	add("prog", &dso, 100);
	next_task(2, 2, "a");
	add("prog", &dso, 100);
	assert_int_equal(stacks_groups__sort(groups), 1);
	assert_int_equal(stacks_groups__at(groups, 0)->pid, 0);
	next_task(1, 3, "a");
	add("prog", &dso, 100);
	assert_int_equal(stacks_groups__sort(groups), 1);
	assert_int_equal(stacks_groups__at(groups, 0)->pid, 0);
}

static void test_different(void **state)
{
	next_task(1, 1, "a");
	add("prog", &dso, 100);
	next_task(1, 2, "a");
	add("prog", &dso, 101);
	next_task(1, 3, "a");
	add("prog", &other_dso, 100);
	next_task(1, 4, "a");
	add("other", &dso, 100);
	next_task(1, 5, "a");
	add(NULL, &dso, 100);
	next_task(1, 6, "a")->state = OFFCPU_DISK;
	add("prog", &dso, 100);
	next_task(1, 7, "a")->call = 0;
	add("prog", &dso, 100);
	next_task(1, 8, "a");
	stacks[nr_tasks].quality = STACK_TORN;
	add("prog", &dso, 100);
	next_task(1, 9, "a");
	add("prog", NULL, 100);
	next_task(2, 10, "a");
	add("prog", NULL, 100); /* at another address */
	assert_int_equal(stacks_groups__sort(groups), nr_tasks);
}

static void test_order(void **state)
{
	static const u64 address[] = { 100, 101, 102, 101, 102, 102 };

	for (u32 i = 0; i < 6; i++) {
		next_task(1, 20 - i, "a");
		add("prog", &dso, address[i]);
	}
	next_task(1, 1, "a");
	add("prog", &dso, 103);
	assert_int_equal(stacks_groups__sort(groups), 4);
	assert_int_equal(stacks_groups__at(groups, 0)->frame[0].sym_addr, 102);
	assert_int_equal(stacks_groups__at(groups, 1)->frame[0].sym_addr, 101);
	assert_int_equal(stacks_groups__at(groups, 2)->frame[0].sym_addr, 103); /* its thread has a lower id */
	assert_int_equal(stacks_groups__at(groups, 3)->frame[0].sym_addr, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_equal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_processes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_different, setup, teardown),
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
	};

	return cmocka_run_group_tests_name("ui/stacks-groups", tests, NULL, NULL);
}
