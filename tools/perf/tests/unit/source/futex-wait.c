// SPDX-License-Identifier: GPL-2.0
/* Mutexes of this C library, and memory that only looks alike. */
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/source/futex-wait.h"

static struct task_memory *memory;
static pthread_mutex_t mutex;
static u32 word;

static int setup(void **state)
{
	return task_memory__new(getpid(), &memory);
}

static int teardown(void **state)
{
	task_memory__delete(memory);
	return 0;
}

static struct futex_wait read_wait(const void *address, u32 op, u32 value)
{
	const struct snapshot_task task = {
		.call = SYS_futex, .state = OFFCPU_SLEEPING, .arg = { (uintptr_t)address, op, value },
	};
	struct futex_wait wait;

	task_memory__forget(memory);
	futex_wait__read(&wait, &task, memory);
	return wait;
}

static void assert_wait(struct futex_wait wait, u8 kind, const void *address, u32 owner)
{
	assert_int_equal(wait.kind, kind);
	assert_int_equal(wait.address, (uintptr_t)address);
	assert_int_equal(wait.owner, owner);
}

static void lock(int protocol, int robust)
{
	pthread_mutexattr_t attr;

	assert_int_equal(pthread_mutexattr_init(&attr), 0);
	assert_int_equal(pthread_mutexattr_setprotocol(&attr, protocol), 0);
	assert_int_equal(pthread_mutexattr_setrobust(&attr, robust), 0);
	assert_int_equal(pthread_mutex_init(&mutex, &attr), 0);
	assert_int_equal(pthread_mutex_lock(&mutex), 0);
	memcpy(&word, &mutex, sizeof(word));
}

static void unlock(u32 before)
{
	memcpy(&mutex, &before, sizeof(before));
	assert_int_equal(pthread_mutex_unlock(&mutex), 0);
}

/* As if another thread waited: it sets the word so. */
static void set_word(u32 value)
{
	memcpy(&mutex, &value, sizeof(value));
}

static void test_mutex(void **state)
{
	const u32 self = syscall(SYS_gettid);

	lock(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	set_word(2);
	assert_wait(read_wait(&mutex, FUTEX_WAIT_PRIVATE, 2), FUTEX_KIND_MUTEX, &mutex, self);
	assert_wait(read_wait(&mutex, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 2), FUTEX_KIND_MUTEX, &mutex, self);
	assert_wait(read_wait(&mutex, FUTEX_WAIT_PRIVATE, 3), FUTEX_KIND_PLAIN, &mutex, 0);
	set_word(1); /* nobody waits */
	assert_wait(read_wait(&mutex, FUTEX_WAIT_PRIVATE, 2), FUTEX_KIND_PLAIN, &mutex, 0);
	unlock(word);
	set_word(2); /* just unlocked, and not taken yet */
	assert_wait(read_wait(&mutex, FUTEX_WAIT_PRIVATE, 2), FUTEX_KIND_PLAIN, &mutex, 0);
}

static void test_robust(void **state)
{
	const u32 self = syscall(SYS_gettid);

	lock(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
	assert_int_equal(word, self);
	set_word(self | FUTEX_WAITERS);
	assert_wait(read_wait(&mutex, FUTEX_WAIT_PRIVATE, self | FUTEX_WAITERS), FUTEX_KIND_MUTEX, &mutex, self);
	set_word((self + 1) | FUTEX_WAITERS);
	assert_wait(read_wait(&mutex, FUTEX_WAIT_PRIVATE, (self + 1) | FUTEX_WAITERS), FUTEX_KIND_PLAIN, &mutex, 0);
	unlock(word);
}

static void test_pi(void **state)
{
	const u32 self = syscall(SYS_gettid);

	lock(PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
	assert_wait(read_wait(&mutex, FUTEX_LOCK_PI_PRIVATE, 0), FUTEX_KIND_MUTEX, &mutex, self);
	unlock(word);
	assert_wait(read_wait(&mutex, FUTEX_LOCK_PI_PRIVATE, 0), FUTEX_KIND_PLAIN, &mutex, 0);
}

static void test_end_of_thread(void **state)
{
	word = 4711;
	assert_wait(read_wait(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 4711), FUTEX_KIND_THREAD, &word, 4711);
	assert_wait(read_wait(&word, FUTEX_WAIT_PRIVATE, 4711), FUTEX_KIND_PLAIN, &word, 0);
	word = 0;
	assert_wait(read_wait(&word, FUTEX_WAIT, 4711), FUTEX_KIND_PLAIN, &word, 0);
}

static void test_other(void **state)
{
	u32 numbers[5] = { 2, 0, 4711, 1, 0 };
	struct snapshot_task task = { .call = SYS_read, .state = OFFCPU_SLEEPING };
	struct futex_wait wait;

	assert_wait(read_wait(numbers, FUTEX_WAIT_PRIVATE, 2), FUTEX_KIND_MUTEX, numbers, 4711);
	numbers[4] = 0x200; /* no kind of mutex */
	assert_wait(read_wait(numbers, FUTEX_WAIT_PRIVATE, 2), FUTEX_KIND_PLAIN, numbers, 0);
	numbers[4] = numbers[3] = 0; /* no user */
	assert_wait(read_wait(numbers, FUTEX_WAIT_PRIVATE, 2), FUTEX_KIND_PLAIN, numbers, 0);
	numbers[3] = 1;
	numbers[2] = UINT32_MAX; /* no tid */
	assert_wait(read_wait(numbers, FUTEX_WAIT_PRIVATE, 2), FUTEX_KIND_PLAIN, numbers, 0);
	assert_wait(read_wait(NULL, FUTEX_WAIT_PRIVATE, 2), FUTEX_KIND_PLAIN, NULL, 0);
	futex_wait__read(&wait, &task, memory);
	assert_int_equal(wait.kind, FUTEX_KIND_NONE);
	task = (struct snapshot_task){ .call = SYS_futex, .state = OFFCPU_RUNNING };
	futex_wait__read(&wait, &task, memory);
	assert_int_equal(wait.kind, FUTEX_KIND_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_mutex, setup, teardown), cmocka_unit_test_setup_teardown(test_robust, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pi, setup, teardown), cmocka_unit_test_setup_teardown(test_end_of_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other, setup, teardown),
	};

	return cmocka_run_group_tests_name("source/futex-wait", tests, NULL, NULL);
}
