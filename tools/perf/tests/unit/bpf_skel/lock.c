// SPDX-License-Identifier: GPL-2.0
/* Waits for locks of the kernel: the program of util/bpf_skel/lock.bpf.c in user space. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include "util/bpf_skel/lock.bpf.c"

static struct host_task task_a, task_b;
static struct task_struct *a, *b;
static struct mutex mutex;
static struct rw_semaphore rwsem;

static int setup(void **state)
{
	host_reset();
	a = host_task(&task_a, 10, 10, "a");
	b = host_task(&task_b, 20, 20, "b");
	host.task = a;
	host.now = 1000;
	mutex.owner.counter = rwsem.owner.counter = 0;
	target_config.all_tasks = true;
	target_config.some_cpus = false;
	lock_config = (struct lock_config){ .types = ~0ULL, .stack_size = sizeof(host.frame) };
	tally_config = (struct tally_config){ .key = TALLY_KEY_TID | TALLY_KEY_LOCK,
					      .last_slot = 255,
					      .seed = { 1, 2 } };
	return 0;
}

static struct lock_counts *counts(void)
{
	return lock_counts__get();
}

static void begins(struct task_struct *task, void *lock, __u64 flags)
{
	unsigned long long ctx[] = { (unsigned long)lock, flags };

	host.task = task;
	assert_int_equal(lock_begin(ctx), 0);
}

static void ends(struct task_struct *task, void *lock, int error)
{
	unsigned long long ctx[] = { (unsigned long)lock, error };

	host.task = task;
	assert_int_equal(lock_end(ctx), 0);
}

static void waits(struct task_struct *task, void *lock, __u64 flags, __u64 ns)
{
	begins(task, lock, flags);
	host.now += ns;
	ends(task, lock, 0);
}

/* Of all keys: the waits, and their ns */
static void sum_up(__u64 *nr, __u64 *ns)
{
	struct host_value *v;

	*nr = *ns = 0;
	for (v = host.values; v; v = v->next) {
		struct tally_slot *slot = v->value;

		if (v->map == &tally_slots) {
			*nr += slot->count;
			*ns += slot->period;
		}
	}
}

static void assert_sum(__u64 nr, __u64 ns)
{
	__u64 is_nr, is_ns;

	sum_up(&is_nr, &is_ns);
	assert_int_equal(is_nr, nr);
	assert_int_equal(is_ns, ns);
}

static struct tally_record *last_key(void)
{
	assert_true(host.nr_records > 0);
	return host.record[host.nr_records - 1].data;
}

static void waits_are_summed_up(void **state)
{
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	waits(a, &mutex, LOCK_FLAG_MUTEX, 50);
	waits(b, &mutex, LOCK_FLAG_MUTEX, 7);
	assert_sum(3, 157);
	assert_int_equal(counts()->begins, 3);
	assert_int_equal(counts()->ends, 3);
	assert_int_equal(last_key()->key.tid, 20);
	assert_int_equal(last_key()->key.lock, (unsigned long)&mutex);
	assert_int_equal(last_key()->key.nr_kernel, host.nr_frames);
}

/* A mutex's waiter goes from spinning to sleeping and back. */
static void a_mutex_that_begins_anew_is_one_wait(void **state)
{
	begins(a, &mutex, LOCK_FLAG_MUTEX | LOCK_FLAG_SPIN);
	host.now += 100;
	begins(a, &mutex, LOCK_FLAG_MUTEX);
	host.now += 20;
	begins(a, &mutex, LOCK_FLAG_MUTEX | LOCK_FLAG_SPIN);
	host.now += 3;
	ends(a, &mutex, 0);
	assert_sum(1, 123);
	assert_int_equal(counts()->begins, 1);
	assert_int_equal(counts()->unended, 0);
}

static void a_wait_whose_end_is_hidden_is_counted(void **state)
{
	begins(a, &rwsem, LOCK_FLAG_WRITE);
	host.now += 100;
	begins(a, &rwsem, LOCK_FLAG_WRITE);
	host.now += 20;
	ends(a, &rwsem, 0);
	assert_sum(1, 20);
	assert_int_equal(counts()->begins, 2);
	assert_int_equal(counts()->ends, 1);
	assert_int_equal(counts()->unended, 1);
}

static void waits_without_room_are_counted(void **state)
{
	host.full = &lock_waits;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_sum(0, 0);
	assert_int_equal(counts()->lost, 1);
	assert_int_equal(counts()->lone_ends, 1);
}

/* Ends of others are not the target's. */
static void ends_alone_are_those_of_the_target(void **state)
{
	struct target_task mark = { 0 };

	target_config.all_tasks = false;
	target_config.no_events = true;
	bpf_task_storage_get(&target_tasks, a, &mark, BPF_LOCAL_STORAGE_GET_F_CREATE);
	ends(b, &mutex, 0);
	assert_int_equal(counts()->lone_ends, 0);
	ends(a, &mutex, 0);
	assert_int_equal(counts()->lone_ends, 1);
	waits(b, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_sum(0, 0);
	target_config.some_cpus = true; /* of which there is none */
	ends(a, &mutex, 0);
	assert_int_equal(counts()->lone_ends, 1);
}

static void waits_inside_of_a_program_are_counted(void **state)
{
	counts()->busy = 1;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_sum(0, 0);
	assert_int_equal(counts()->nested, 1);
	assert_int_equal(counts()->lone_ends, 0);
	counts()->busy = 0;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_sum(1, 100);
	assert_int_equal(counts()->nested, 1);
}

static void stacks_that_cannot_be_taken_are_counted(void **state)
{
	host.no_stack = true;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_sum(1, 100);
	assert_int_equal(counts()->no_stack, 1);
	host.no_stack = false;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_int_equal(counts()->no_stack, 1);
}

/* Which lock, and how its owner's flags do not matter */
static void the_owner_is_whom_the_lock_names(void **state)
{
	lock_config.by = LOCK_BY_OWNER;
	mutex.owner.counter = (long)b | LOCK_OWNER_FLAGS;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_int_equal(last_key()->key.tid, 20);
	rwsem.owner.counter = (long)b | 2;
	waits(a, &rwsem, LOCK_FLAG_READ, 100);
	assert_int_equal(last_key()->key.tid, 20);
	assert_int_equal(counts()->late_owners, 0);
	rwsem.owner.counter = (long)b | LOCK_RWSEM_READER;
	waits(a, &rwsem, LOCK_FLAG_WRITE, 100);
	assert_int_equal(last_key()->key.tid, LOCK_OWNER_READERS);
}

/* The lock names nobody: it is the task that got it last after a wait. */
static void the_owner_is_who_got_it_last(void **state)
{
	lock_config.by = LOCK_BY_OWNER;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_int_equal(last_key()->key.tid, LOCK_OWNER_UNKNOWN);
	assert_int_equal(counts()->late_owners, 0);
	begins(b, &mutex, LOCK_FLAG_MUTEX);
	host.now += 10;
	ends(b, &mutex, -EINTR); /* it has not got it */
	assert_int_equal(last_key()->key.tid, 10);
	assert_int_equal(counts()->late_owners, 1);
	waits(b, &mutex, LOCK_FLAG_MUTEX, 30);
	assert_int_equal(last_key()->key.tid, 10);
	assert_int_equal(counts()->late_owners, 2);
	assert_sum(3, 140);
	waits(a, &mutex, LOCK_FLAG_MUTEX, 1);
	assert_int_equal(last_key()->key.tid, 20);
	assert_int_equal(counts()->late_owners, 3);
}

static void slabs_are_divided_into_objects(void **state)
{
	/* One page of objects of 100 bytes, 8 of which stand before what the kernel gave */
	assert_int_equal(lock_place__in_slab(0x10000 + 2 * 100 + 8 + 16, 40, 4096, 100, 8), 16);
	assert_int_equal(lock_place__in_slab(0x10000 + 2 * 100 + 7, 40, 4096, 100, 8), LOCK_NO_OFFSET);
	assert_int_equal(lock_place__in_slab(0x11000 + 300, 1 << ORDER_SHIFT | 27, 4096, 300, 0), (4096 + 300) % 300);
}

/* Idle tasks of all CPUs have the id 0, and may wait for one lock at once. */
static void idle_tasks_wait_apart(void **state)
{
	static struct host_task tasks[2];
	struct task_struct *idle[2];

	for (int cpu = 0; cpu < 2; cpu++) {
		idle[cpu] = host_task(&tasks[cpu], 0, 0, "swapper");
		host.cpu = cpu;
		begins(idle[cpu], &mutex, LOCK_FLAG_SPIN);
		host.now += 100;
	}
	for (int cpu = 0; cpu < 2; cpu++) {
		host.cpu = cpu;
		ends(idle[cpu], &mutex, 0);
		host.now += 10;
	}
	assert_sum(2, 200 + 110);
}

static void stacks_of_user_space_are_those_of_users(void **state)
{
	lock_config.user_stack = 1;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_int_equal(last_key()->key.nr_user, host.nr_frames);
	assert_int_equal(last_key()->key.nr_kernel, 0);
	assert_int_equal(last_key()->frame[0], host.frame[0]);
	assert_int_equal(counts()->no_stack, 0);
	b->flags = PF_KTHREAD;
	waits(b, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_int_equal(last_key()->key.nr_user, 0);
	assert_int_equal(counts()->no_stack, 1);
}

struct task_struct *bpf_task_from_pid(__s32 pid)
{
	return pid == b->pid ? b : NULL;
}

void bpf_task_release(struct task_struct *task)
{
	assert_ptr_equal(task, b);
}

static void the_owners_stack_is_taken(void **state)
{
	lock_config.by = LOCK_BY_OWNER_STACK;
	lock_config.has_task_lookup = 1;
	mutex.owner.counter = (long)b;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_int_equal(last_key()->key.tid, 20);
	assert_int_equal(last_key()->key.nr_kernel, host.nr_frames);
	assert_int_equal(counts()->no_stack, 0);
	mutex.owner.counter = 0; /* nobody: then there is no stack, and not the waiter's */
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	assert_int_equal(last_key()->key.nr_kernel, 0);
	assert_int_equal(counts()->no_stack, 1);
}

static void a_late_owner_has_its_name(void **state)
{
	lock_config.by = LOCK_BY_OWNER;
	tally_config.key |= TALLY_KEY_COMM;
	waits(a, &mutex, LOCK_FLAG_MUTEX, 100);
	begins(b, &mutex, LOCK_FLAG_MUTEX | LOCK_FLAG_SPIN); /* which is a mutex that its waiter spins for */
	ends(b, &mutex, 0);
	assert_int_equal(last_key()->key.tid, 10);
	assert_memory_equal(last_key()->key.comm, "a", 2);
	waits(a, &rwsem, LOCK_FLAG_SPIN, 5);
	waits(b, &rwsem, LOCK_FLAG_SPIN, 5); /* spinlocks do not know theirs */
	assert_int_equal(last_key()->key.tid, LOCK_OWNER_UNKNOWN);
}

static void locks_of_run_queues_have_the_name_of_their_cpu(void **state)
{
	const __u64 lock = (unsigned long)&mutex;
	const __u32 cpu = 3;

	lock_config.named = 1;
	bpf_map_update_elem(&lock_run_queues, &lock, &cpu, BPF_ANY);
	waits(a, &mutex, LOCK_FLAG_SPIN, 100);
	assert_int_equal(last_key()->lock.kind, LOCK_OF_RQ);
	assert_int_equal(last_key()->lock.id, 3);
	waits(a, &rwsem, LOCK_FLAG_WRITE, 100);
	assert_int_equal(last_key()->lock.kind, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(waits_are_summed_up, setup),
		cmocka_unit_test_setup(a_mutex_that_begins_anew_is_one_wait, setup),
		cmocka_unit_test_setup(a_wait_whose_end_is_hidden_is_counted, setup),
		cmocka_unit_test_setup(waits_without_room_are_counted, setup),
		cmocka_unit_test_setup(ends_alone_are_those_of_the_target, setup),
		cmocka_unit_test_setup(waits_inside_of_a_program_are_counted, setup),
		cmocka_unit_test_setup(stacks_that_cannot_be_taken_are_counted, setup),
		cmocka_unit_test_setup(the_owner_is_whom_the_lock_names, setup),
		cmocka_unit_test_setup(the_owner_is_who_got_it_last, setup),
		cmocka_unit_test_setup(slabs_are_divided_into_objects, setup),
		cmocka_unit_test_setup(idle_tasks_wait_apart, setup),
		cmocka_unit_test_setup(stacks_of_user_space_are_those_of_users, setup),
		cmocka_unit_test_setup(the_owners_stack_is_taken, setup),
		cmocka_unit_test_setup(a_late_owner_has_its_name, setup),
		cmocka_unit_test_setup(locks_of_run_queues_have_the_name_of_their_cpu, setup),
	};

	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
