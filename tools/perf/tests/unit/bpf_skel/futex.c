// SPDX-License-Identifier: GPL-2.0
/* Waits for locks of user space: the program of util/bpf_skel/lock-futex.bpf.c in user space. */
#include "tests/unit/bpf_skel/host-bpf.h"

#include "util/bpf_skel/lock-futex.bpf.c"

static struct host_task task_a, task_b;
static struct task_struct *a, *b;
static struct pt_regs regs;

static int setup(void **state)
{
	host_reset();
	a = host_task(&task_a, 10, 10, "a");
	b = host_task(&task_b, 20, 20, "b");
	host.now = 1000;
	target_config.all_tasks = true;
	lock_config = (struct lock_config){ .types = ~0ULL, .stack_size = sizeof(host.frame) };
	tally_config = (struct tally_config){ .key = TALLY_KEY_TID | TALLY_KEY_LOCK | TALLY_KEY_LOCK_TYPE,
					      .last_slot = 255,
					      .seed = { 1, 2 } };
	return 0;
}

static struct lock_counts *counts(void)
{
	return lock_counts__get();
}

static void set_call(int nr, __u64 first, __u64 second, __u64 fourth)
{
#if defined(__TARGET_ARCH_x86)
	regs = (struct pt_regs){ .orig_ax = nr, .di = first, .si = second, .r10 = fourth };
#else
	regs = (struct pt_regs){ .syscallno = nr, .orig_x0 = first, .regs = { [1] = second, [3] = fourth } };
#endif
}

static void enters(struct task_struct *task, int nr, __u64 first, __u64 second, __u64 fourth)
{
	unsigned long long ctx[] = { (unsigned long)&regs };

	host.task = task;
	set_call(nr, first, second, fourth);
	assert_int_equal(futex_enter(ctx, &regs, nr), 0);
}

static void exits(struct task_struct *task, long ret)
{
	unsigned long long ctx[] = { (unsigned long)&regs };

	host.task = task;
	assert_int_equal(futex_exit(ctx, &regs, ret), 0);
}

static void waits(struct task_struct *task, __u64 ns, long ret)
{
	enters(task, NR_FUTEX, 0x5000, FUTEX_WAIT | FUTEX_IS_PRIVATE, 0);
	host.now += ns;
	exits(task, ret);
}

static void assert_sum(__u64 nr, __u64 ns)
{
	__u64 is_nr = 0, is_ns = 0;
	struct host_value *v;

	for (v = host.values; v; v = v->next) {
		struct tally_slot *slot = v->value;

		if (v->map == &tally_slots) {
			is_nr += slot->count;
			is_ns += slot->period;
		}
	}
	assert_int_equal(is_nr, nr);
	assert_int_equal(is_ns, ns);
}

static struct tally_record *last_key(void)
{
	assert_true(host.nr_records > 0);
	return host.record[host.nr_records - 1].data;
}

static void waits_are_calls_that_waited(void **state)
{
	waits(a, 100, 0);
	waits(a, 20, -110);
	waits(a, 3, -4);
	waits(a, 4, -512);
	waits(a, 5, -516);
	assert_sum(5, 132);
	assert_int_equal(counts()->timed_out, 1);
	assert_int_equal(counts()->interrupted, 3);
	assert_int_equal(counts()->no_waits, 0);
	waits(a, 6, -11); /* the futex had changed */
	assert_sum(5, 132);
	assert_int_equal(counts()->no_waits, 1);
	assert_int_equal(counts()->begins, 6);
	assert_int_equal(counts()->ends, 5);
}

static void calls_of_all_kinds_have_their_type(void **state)
{
	struct futex_waitv first = { .uaddr = 0x6000, .flags = FUTEX_IS_PRIVATE };

	waits(a, 1, 0);
	assert_int_equal(last_key()->key.lock, 0x5000);
	assert_int_equal(last_key()->key.lock_type, LOCK_FUTEX);
	enters(a, NR_FUTEX, 0x5000, FUTEX_LOCK_PI2, 0);
	exits(a, 0);
	assert_int_equal(last_key()->key.lock_type, LOCK_FUTEX_PI_SHARED);
	enters(a, NR_FUTEX_WAITV, (unsigned long)&first, 1, 0);
	exits(a, 0);
	assert_int_equal(last_key()->key.lock, 0x6000);
	assert_int_equal(last_key()->key.lock_type, LOCK_FUTEX);
	enters(a, NR_FUTEX_WAIT, 0x7000, 0, FUTEX_IS_PRIVATE);
	exits(a, 0);
	assert_int_equal(last_key()->key.lock, 0x7000);
	enters(a, NR_FUTEX, 0x5000, 1 /* wake */, 0);
	exits(a, 1);
	assert_int_equal(counts()->ends, 4);
	assert_int_equal(counts()->lone_ends, 0);
}

static void waits_that_do_not_end_or_have_no_room_are_counted(void **state)
{
	enters(a, NR_FUTEX, 0x5000, FUTEX_WAIT, 0);
	host.now += 100;
	waits(a, 20, 0);
	assert_sum(1, 20);
	assert_int_equal(counts()->unended, 1);
	host.full = &lock_waits;
	waits(a, 30, 0);
	assert_sum(1, 20);
	assert_int_equal(counts()->lost, 1);
	assert_int_equal(counts()->lone_ends, 1);
}

/* User space read the stack of thread a when it had been switched this often. */
static void seeds(struct task_struct *task, __u64 switches)
{
	struct lock_seed seed = { .switches = switches, .wait = { .nr_frames = 1, .user_frames = 1, .frame = { 0x1234 } } };
	struct bpf_iter__task ctx = { .task = task };
	__u32 tid = task->pid;

	set_call(NR_FUTEX, 0x5000, FUTEX_WAIT | FUTEX_IS_PRIVATE, 0);
	host.regs = &regs;
	bpf_map_update_elem(&lock_seeds, &tid, &seed, BPF_ANY);
	host.task = b;
	assert_int_equal(futex_seed(&ctx), 0);
}

static void waits_that_tasks_are_in_begin_when_perf_watches(void **state)
{
	a->nvcsw = 7;
	seeds(a, 7);
	assert_int_equal(counts()->begins, 1);
	assert_int_equal(counts()->seeded, 1);
	host.now += 50;
	set_call(NR_FUTEX, 0x5000, FUTEX_WAIT | FUTEX_IS_PRIVATE, 0);
	exits(a, 0);
	assert_sum(1, 50);
	assert_int_equal(last_key()->key.lock, 0x5000);
	assert_int_equal(last_key()->key.lock_type, LOCK_FUTEX);
	assert_int_equal(last_key()->key.tid, 10);
	assert_int_equal(last_key()->frame[0], 0x1234);
}

static void tasks_that_have_run_meanwhile_are_no_seeds(void **state)
{
	a->nvcsw = 8;
	seeds(a, 7);
	a->nvcsw = 7;
	a->on_cpu = 1;
	seeds(a, 7);
	a->on_cpu = 0;
	enters(a, NR_FUTEX, 0x6000, FUTEX_WAIT | FUTEX_IS_PRIVATE, 0);
	seeds(a, 7); /* its wait is known */
	assert_int_equal(counts()->seeded, 0);
	assert_int_equal(counts()->begins, 1);
	assert_int_equal(counts()->lost, 0);
}

static void wakes(struct task_struct *waker, struct task_struct *task)
{
	host.task = waker;
	assert_int_equal(futex_waking(NULL, task), 0);
}

static void waits_are_counted_for_who_wakes(void **state)
{
	lock_config.by = LOCK_BY_OWNER;
	enters(a, NR_FUTEX, 0x5000, FUTEX_WAIT, 0);
	host.now += 50;
	wakes(b, a);
	exits(a, 0);
	assert_int_equal(last_key()->key.tid, 20);
	assert_sum(1, 50);
	/* Time ends the next one, whoever tried to wake the task, too. */
	enters(a, NR_FUTEX, 0x5000, FUTEX_WAIT, 0);
	host.now += 9;
	wakes(b, a);
	exits(a, -110);
	assert_int_equal(last_key()->key.tid, LOCK_OWNER_UNKNOWN);
	assert_sum(2, 59);
	/* And nothing is left of them: a wake-up outside of a wait is none. */
	wakes(b, a);
	for (struct host_value *v = host.values; v; v = v->next)
		assert_true(v->map != &lock_woken && v->map != &lock_waits);
}

/* What a waker finds out comes too late if the wait has ended meanwhile: nobody would fetch it. */
static void nothing_stays_of_a_waking_that_is_late(void **state)
{
	const struct lock_waiter waiter = { .tid = 10 };
	const struct lock_wait over = { .begin = 900 };
	struct lock_waiter key = { .lock = 900, .tid = 10 };
	struct lock_wait wait = over;

	host.task = b;
	wake(NULL, &waiter, &over, counts());
	assert_null(bpf_map_lookup_elem(&lock_woken, &key));
	bpf_map_update_elem(&lock_waits, &waiter, &wait, BPF_ANY);
	wake(NULL, &waiter, &over, counts());
	assert_non_null(bpf_map_lookup_elem(&lock_woken, &key));
	wait.begin = 950; /* it waits again */
	bpf_map_update_elem(&lock_waits, &waiter, &wait, BPF_ANY);
	wake(NULL, &waiter, &over, counts());
	assert_null(bpf_map_lookup_elem(&lock_woken, &key));
}

/* Between the look at the task and the note of its wait the task may go on; then nobody would end the wait. */
static void a_task_that_goes_on_meanwhile_leaves_no_wait(void **state)
{
	const struct lock_seed seed = { .switches = 7, .wait = { .begin = 900 } };
	const struct lock_waiter waiter = { .tid = 10 };

	a->nvcsw = 8;
	begin_seed(a, &seed, counts());
	assert_null(bpf_map_lookup_elem(&lock_waits, &waiter));
	assert_int_equal(counts()->begins, 0);
	a->nvcsw = 7;
	begin_seed(a, &seed, counts());
	assert_non_null(bpf_map_lookup_elem(&lock_waits, &waiter));
	assert_int_equal(counts()->seeded, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(waits_are_calls_that_waited, setup),
		cmocka_unit_test_setup(calls_of_all_kinds_have_their_type, setup),
		cmocka_unit_test_setup(waits_that_do_not_end_or_have_no_room_are_counted, setup),
		cmocka_unit_test_setup(waits_that_tasks_are_in_begin_when_perf_watches, setup),
		cmocka_unit_test_setup(tasks_that_have_run_meanwhile_are_no_seeds, setup),
		cmocka_unit_test_setup(waits_are_counted_for_who_wakes, setup),
		cmocka_unit_test_setup(nothing_stays_of_a_waking_that_is_late, setup),
		cmocka_unit_test_setup(a_task_that_goes_on_meanwhile_leaves_no_wait, setup),
	};

	return cmocka_run_group_tests_name("futex", tests, NULL, NULL);
}
