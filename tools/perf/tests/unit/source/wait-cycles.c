// SPDX-License-Identifier: GPL-2.0
/* Who waits for whom in these tests: next[i] is the thread that thread i waits for, NOBODY: none. Thread i has the tid 100 + i. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/source/wait-cycles.h"

#define NR 8
#define NOBODY NR

static struct snapshot_task tasks[NR];
static struct thread_stack stacks[NR];
static const struct thread_stacks all = { .stack = stacks, .nr = NR };
static struct wait_cycles cycles;
static u32 gone; /* this thread does not wait any more */
static u32 nr_asked;

static bool still(void *data, const struct thread_stack *stack)
{
	assert_ptr_equal(data, &cycles);
	nr_asked++;
	return stack->task->tid != 100 + gone;
}

static void find(const u8 *next)
{
	for (u32 i = 0; i < NR; i++) {
		tasks[i] = (struct snapshot_task){ .pid = 100, .tid = 100 + i };
		stacks[i] = (struct thread_stack){ .task = &tasks[i], .owner = next[i] == NOBODY ? 0 : 100 + next[i], .owner_pid = 100 };
		stacks[i].wait.kind = next[i] == NOBODY ? FUTEX_KIND_NONE : FUTEX_KIND_MUTEX;
	}
	nr_asked = 0;
	assert_int_equal(wait_cycles__find(&cycles, &all, still, &cycles), 0);
}

static void assert_cycle(u32 i, const u8 *threads, u32 nr, u32 nr_behind)
{
	const struct wait_cycle *cycle = &cycles.cycle[i];

	assert_true(i < cycles.nr);
	assert_int_equal(cycle->nr, nr);
	for (u32 j = 0; j < nr; j++)
		assert_int_equal(cycle->thread[j]->task->tid, 100 + threads[j]);
	assert_int_equal(cycle->nr_behind, nr_behind);
}

static int setup(void **state)
{
	gone = NOBODY;
	return 0;
}

static void test_none(void **state)
{
	static const u8 chain[] = { 1, 2, 3, NOBODY, 3, NOBODY, 5, NOBODY };

	find(chain);
	assert_int_equal(cycles.nr, 0);
	assert_int_equal(cycles.nr_waits, 5);
	assert_int_equal(cycles.nr_owned, 5);
	assert_int_equal(nr_asked, 0);
	wait_cycles__exit(&cycles);
}

/* The one that the search meets first is behind it. */
static void test_cycles(void **state)
{
	static const u8 next[] = { 4, NOBODY, 3, 5, 2, 4, 6, 0 }, threads[] = { 2, 3, 5, 4 }, alone[] = { 6 };

	find(next);
	assert_int_equal(cycles.nr, 2);
	assert_cycle(0, threads, 4, 2);
	assert_cycle(1, alone, 1, 0);
	wait_cycles__exit(&cycles);
}

static void test_not_any_more(void **state)
{
	static const u8 next[] = { 1, 2, 0, 2, 5, 4, NOBODY, NOBODY }, threads[] = { 4, 5 };

	gone = 1;
	find(next);
	assert_int_equal(cycles.nr, 1);
	assert_cycle(0, threads, 2, 0);
	wait_cycles__exit(&cycles);
}

/* A wait that ends by itself, and an owner that was not read */
static void test_no_waits(void **state)
{
	static const u8 next[] = { 1, 0, 3, 2, NOBODY, NOBODY, NOBODY, NOBODY };

	find(next);
	assert_int_equal(cycles.nr, 2);
	wait_cycles__exit(&cycles);
	tasks[1].arg[3] = 4096;
	stacks[2].owner = 99;
	assert_int_equal(wait_cycles__find(&cycles, &all, still, &cycles), 0);
	assert_int_equal(cycles.nr, 0);
	wait_cycles__exit(&cycles);
}

/* Thread 0 waits for a futex; what looks like its time limit are arguments of other calls. */
static void test_kernel_locks(void **state)
{
	static const u8 next[] = { 1, 2, 0, 2, NOBODY, NOBODY, NOBODY, NOBODY }, threads[] = { 0, 1, 2 };

	find(next);
	wait_cycles__exit(&cycles);
	for (u32 i = 1; i < 4; i++) {
		stacks[i].wait.kind = FUTEX_KIND_NONE;
		tasks[i].lock = (struct snapshot_lock){ .address = 0xffff888000000000, .flags = LOCK_FLAG_MUTEX };
		tasks[i].arg[3] = 4096;
	}
	assert_int_equal(wait_cycles__find(&cycles, &all, still, &cycles), 0);
	assert_int_equal(cycles.nr, 1);
	assert_int_equal(cycles.nr_waits, 4);
	assert_cycle(0, threads, 3, 1);
	wait_cycles__exit(&cycles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_none, setup),
		cmocka_unit_test_setup(test_cycles, setup),
		cmocka_unit_test_setup(test_not_any_more, setup),
		cmocka_unit_test_setup(test_no_waits, setup),
		cmocka_unit_test_setup(test_kernel_locks, setup),
	};

	return cmocka_run_group_tests_name("source/wait-cycles", tests, NULL, NULL);
}
