// SPDX-License-Identifier: GPL-2.0
/* Where tasks are: the program of util/bpf_skel/snapshot.bpf.c in user space, as far as it reads locks of the kernel. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include "util/bpf_skel/snapshot.bpf.c"

static struct host_task task_a, task_b;
static struct task_struct *a, *b;
static struct mutex mutex __attribute__((aligned(8)));
static struct rw_semaphore rwsem __attribute__((aligned(8)));
static struct snapshot_task record;

static int setup(void **state)
{
	host_reset();
	a = host_task(&task_a, 11, 10, "a");
	b = host_task(&task_b, 21, 20, "b");
	mutex.owner.counter = rwsem.owner.counter = (long)b;
	return 0;
}

static const struct snapshot_lock *read_of(void *lock, int type, __u32 state)
{
	a->blocker = lock ? (unsigned long)lock | type : 0;
	record = (struct snapshot_task){ .state = state };
	read_lock(&record, a);
	return &record.lock;
}

static void assert_lock(const struct snapshot_lock *lock, const void *address, __u8 flags, __u32 owner, bool readers)
{
	assert_ptr_equal((void *)lock->address, address);
	assert_int_equal(lock->flags, flags);
	assert_int_equal(lock->owner, owner);
	assert_int_equal(lock->owner_pid, owner ? 20 : 0);
	assert_int_equal(lock->readers, readers);
}

static void the_owner_is_named(void **state)
{
	assert_lock(read_of(&mutex, BLOCKER_MUTEX, OFFCPU_DISK), &mutex, LOCK_FLAG_MUTEX, 21, false);
	assert_lock(read_of(&rwsem, BLOCKER_RWSEM_WRITER, OFFCPU_DISK), &rwsem, LOCK_FLAG_WRITE, 21, false);
	assert_lock(read_of(&rwsem, BLOCKER_RWSEM_READER, OFFCPU_SLEEPING), &rwsem, LOCK_FLAG_READ, 21, false);
	mutex.owner.counter |= 3; /* others wait */
	assert_lock(read_of(&mutex, BLOCKER_MUTEX, OFFCPU_DISK), &mutex, LOCK_FLAG_MUTEX, 21, false);
}

static void locks_without_an_owner(void **state)
{
	mutex.owner.counter |= LOCK_MUTEX_PICKUP;
	assert_lock(read_of(&mutex, BLOCKER_MUTEX, OFFCPU_DISK), &mutex, LOCK_FLAG_MUTEX, 0, false);
	rwsem.owner.counter |= LOCK_RWSEM_READER;
	assert_lock(read_of(&rwsem, BLOCKER_RWSEM_WRITER, OFFCPU_DISK), &rwsem, LOCK_FLAG_WRITE, 0, true);
	rwsem.owner.counter = 0;
	assert_lock(read_of(&rwsem, BLOCKER_RWSEM_WRITER, OFFCPU_DISK), &rwsem, LOCK_FLAG_WRITE, 0, false);
	assert_lock(read_of(&rwsem, BLOCKER_SEMAPHORE, OFFCPU_DISK), &rwsem, 0, 0, false);
}

static void tasks_that_do_not_wait(void **state)
{
	assert_lock(read_of(NULL, 0, OFFCPU_SLEEPING), NULL, 0, 0, false);
	assert_lock(read_of(&mutex, BLOCKER_MUTEX, OFFCPU_PREEMPTED), NULL, 0, 0, false);
	assert_lock(read_of(&mutex, BLOCKER_MUTEX, OFFCPU_STOPPED), NULL, 0, 0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_owner_is_named, setup),
		cmocka_unit_test_setup(locks_without_an_owner, setup),
		cmocka_unit_test_setup(tasks_that_do_not_wait, setup),
	};

	return cmocka_run_group_tests_name("bpf_skel/snapshot", tests, NULL, NULL);
}
