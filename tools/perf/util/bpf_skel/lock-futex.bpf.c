// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * How long tasks wait for locks of user space. A lock that is free costs no system call; who finds it taken asks the kernel to sleep until
 * somebody wakes those who wait at this address: a futex. So a wait is a system call, from its entry, when the stack is taken, to its exit.
 *
 * Waking is a system call, too, but does not know whom it wakes: sched_waking does, and the current task then is the one that wakes. If
 * time or a signal ends the wait, nobody of interest has.
 *
 * Threads that wait when perf comes have entered their calls before. User space reads their stacks, and an iterator begins their waits.
 *
 * A CPU that is in one of these programs does not enter another one: they share buffers.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "lock-common.bpf.h"
#include "syscall-hook.bpf.h"

/* Numbers of system calls: include/uapi/asm-generic/unistd.h */
#if defined(__TARGET_ARCH_x86)
#define NR_FUTEX 202
#elif defined(__TARGET_ARCH_arm64)
#define NR_FUTEX 98
#endif
#define NR_FUTEX_WAITV 449 /* Linux 5.16 */
#define NR_FUTEX_WAIT 455  /* Linux 6.7 */

/* include/uapi/linux/futex.h */
enum {
	FUTEX_WAIT = 0,
	FUTEX_LOCK_PI = 6,
	FUTEX_WAIT_BITSET = 9,
	FUTEX_WAIT_REQUEUE_PI = 11,
	FUTEX_LOCK_PI2 = 13,
};
#define FUTEX_OP_MASK 127
#define FUTEX_IS_PRIVATE 128

/* What a wait returns, include/linux/errno.h included: restarts begin a wait of their own. */
#define RET_INTR (-4)
#define RET_TIMEDOUT (-110)
#define RET_RESTART_FIRST (-516) /* ERESTART_RESTARTBLOCK */
#define RET_RESTART_LAST (-512)	 /* ERESTARTSYS */

/* The same header */
struct futex_waitv {
	__u64 val, uaddr;
	__u32 flags, reserved;
};

struct futex_wait {
	__u64 address;
	__u32 type; /* LOCK_FUTEX* */
};

static __always_inline bool is_wait(__u32 op)
{
	return op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2 || op == FUTEX_WAIT_REQUEUE_PI;
}

static __always_inline bool read_futex(const __u64 *arg, struct futex_wait *wait)
{
	const __u32 op = arg[1] & FUTEX_OP_MASK;

	wait->address = arg[0];
	wait->type = op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2 ? LOCK_FUTEX_PI : LOCK_FUTEX;
	wait->type += !(arg[1] & FUTEX_IS_PRIVATE);
	return is_wait(op);
}

/* It waits for any of several; the first one stands for all. If it cannot be read, the call fails or its address stays unknown. */
static __always_inline void read_waitv(const __u64 *arg, struct futex_wait *wait)
{
	struct futex_waitv first = { 0 };

	bpf_probe_read_user(&first, sizeof(first), (const void *)arg[0]);
	wait->address = first.uaddr;
	wait->type = LOCK_FUTEX + !(first.flags & FUTEX_IS_PRIVATE);
}

/* Is this system call a wait? The arguments of futex_waitv(2) are in the memory of the current task. */
static __always_inline bool futex_wait__read(const struct pt_regs *regs, struct task_struct *task, __u32 nr, struct futex_wait *wait)
{
	__u64 arg[4];

	if ((nr != NR_FUTEX && nr != NR_FUTEX_WAITV && nr != NR_FUTEX_WAIT) || is_compat(task))
		return false;
	syscall_arguments__read(regs, arg, 4);
	if (nr == NR_FUTEX)
		return read_futex(arg, wait);
	if (nr == NR_FUTEX_WAITV) {
		read_waitv(arg, wait);
	} else {
		wait->address = arg[0];
		wait->type = LOCK_FUTEX + !(arg[3] & FUTEX_IS_PRIVATE);
	}
	return true;
}

/*
 * Waits whose task was woken, to be counted for the task that woke it. Their key has the begin in place of the lock, so that a waker never
 * writes into a later wait of the same task. The loader sets the size.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct lock_waiter);
	__type(value, struct lock_wait);
} lock_woken SEC(".maps");

static __always_inline struct lock_waiter waiter_of(__u32 tid)
{
	return (struct lock_waiter){ .tid = tid };
}

/* The wait first: see wake(). */
static __always_inline void forget(const struct lock_waiter *waiter, __u64 begin)
{
	const struct lock_waiter woken = { .lock = begin, .tid = waiter->tid };

	bpf_map_delete_elem(&lock_waits, waiter);
	if (lock_config.by != LOCK_BY_WAITER)
		bpf_map_delete_elem(&lock_woken, &woken);
}

/* The begin of a wait */

static __always_inline void describe(void *ctx, struct task_struct *task, struct lock_wait *w, const struct futex_wait *wait,
				     struct lock_counts *counts)
{
	const __u64 nobody[2] = { 0, 0 };
	struct filter_source src = source_of(task, w->begin, 0, counts);

	tally_key__fill(&w->key, &src);
	w->key.lock = wait->address;
	w->key.lock_type = wait->type;
	w->lock = (struct lock_name){ 0 };
	w->user_frames = 1;
	w->nr_frames = 0;
	if (lock_config.by != LOCK_BY_WAITER) {
		set_owner(&w->key, 0, LOCK_OWNER_UNKNOWN, nobody);
	} else if (lock_config.stack_size) {
		take_user_stack(ctx, w);
		counts->no_stack += !w->nr_frames;
	}
}

static __always_inline void forget_unended(const struct lock_waiter *waiter, struct lock_counts *counts)
{
	struct lock_wait *w = bpf_map_lookup_elem(&lock_waits, waiter);

	if (!w)
		return;
	counts->unended++;
	forget(waiter, w->begin);
}

static __always_inline void begin(void *ctx, struct task_struct *task, const struct futex_wait *wait, struct lock_counts *counts)
{
	struct lock_waiter waiter = waiter_of(task->pid);
	struct lock_wait *w;
	__u32 zero = 0;

	if (lock_config.some_locks && !bpf_map_lookup_elem(&lock_addresses, &wait->address))
		return;
	w = bpf_map_lookup_elem(&lock_scratch, &zero);
	if (!w)
		return;
	forget_unended(&waiter, counts);
	w->begin = bpf_ktime_get_ns();
	if (lock_config.filtered && lock_config.filter_early && !keeps(task, w->begin, 0, counts))
		return;
	describe(ctx, task, w, wait, counts);
	counts->begins++;
	if (bpf_map_update_elem(&lock_waits, &waiter, w, BPF_ANY))
		counts->lost++;
}

static __always_inline void take_enter(void *ctx, __u32 nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct lock_counts *counts;
	struct futex_wait wait;

	if (!futex_wait__read(syscall_regs(ctx), task, nr, &wait) || !target__has_cpu(bpf_get_smp_processor_id()) || !target__has(task))
		return;
	counts = enter(true);
	if (!counts)
		return;
	begin(ctx, task, &wait, counts);
	leave(counts);
}

SYSCALL_ENTER(futex_enter, take_enter)

/* Who wakes */

static __always_inline void note_waker(void *ctx, struct lock_wait *w, struct lock_counts *counts)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u64 comm[2] = { 0, 0 };

	if (lock_config.stack_size)
		take_user_stack(ctx, w);
	bpf_get_current_comm(comm, sizeof(comm));
	set_owner(&w->key, id >> 32, id, comm);
}

/*
 * A task that is about to be woken need not sleep any more: it can go on, and even wait again, while this runs. Then nobody fetches what is
 * written here. forget() deletes the wait before what its waker wrote: if the wait is still there, it deletes both.
 */
static __always_inline void wake(void *ctx, const struct lock_waiter *waiter, const struct lock_wait *w, struct lock_counts *counts)
{
	struct lock_waiter key = { .tid = waiter->tid };
	struct lock_wait *woken;
	__u32 zero = 0;

	woken = bpf_map_lookup_elem(&lock_scratch, &zero);
	if (!woken)
		return;
	__builtin_memcpy(woken, w, sizeof(*woken));
	note_waker(ctx, woken, counts);
	key.lock = woken->begin;
	bpf_map_update_elem(&lock_woken, &key, woken, BPF_ANY);
	w = bpf_map_lookup_elem(&lock_waits, waiter);
	if (!w || w->begin != key.lock)
		bpf_map_delete_elem(&lock_woken, &key);
}

static __always_inline void take_waking(void *ctx, struct task_struct *task)
{
	struct lock_waiter waiter = waiter_of(task->pid);
	struct lock_counts *counts;
	struct lock_wait *w;

	w = bpf_map_lookup_elem(&lock_waits, &waiter);
	if (!w)
		return;
	counts = enter(false);
	if (!counts)
		return;
	wake(ctx, &waiter, w, counts);
	leave(counts);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(futex_waking, struct task_struct *task)
{
	take_waking(ctx, task);
	return 0;
}

/* The end */

static __always_inline bool has_waited(long ret)
{
	return ret >= 0 || ret == RET_TIMEDOUT || ret == RET_INTR || (ret >= RET_RESTART_FIRST && ret <= RET_RESTART_LAST);
}

/* The wait as it is counted. If time or a signal ended it, whoever tried to wake the task does not matter. */
static __always_inline const struct lock_wait *counted(const struct lock_waiter *waiter, const struct lock_wait *w, long ret,
						       struct lock_counts *counts)
{
	const struct lock_waiter key = { .lock = w->begin, .tid = waiter->tid };
	const struct lock_wait *woken;

	if (lock_config.by == LOCK_BY_WAITER)
		return w;
	woken = ret < 0 ? NULL : bpf_map_lookup_elem(&lock_woken, &key);
	if (woken)
		w = woken;
	counts->no_stack += lock_config.stack_size && !w->nr_frames;
	return w;
}

static __always_inline void finish(struct task_struct *task, const struct lock_wait *w, long ret, struct lock_counts *counts)
{
	struct tally_scratch *s = tally_scratch__get();
	__u64 now = bpf_ktime_get_ns(), ns;

	ns = now > w->begin ? now - w->begin : 0;
	counts->ends++;
	counts->timed_out += ret == RET_TIMEDOUT;
	counts->interrupted += ret < 0 && ret != RET_TIMEDOUT;
	if (s && (!lock_config.filtered || lock_config.filter_early || keeps(task, now, ns, counts)))
		add(w, ns, s);
}

static __always_inline void end(struct task_struct *task, long ret, struct lock_counts *counts)
{
	struct lock_waiter waiter = waiter_of(task->pid);
	struct lock_wait *w = bpf_map_lookup_elem(&lock_waits, &waiter);

	__u64 begin;

	if (!w) {
		counts->lone_ends += has_waited(ret) && target__has_cpu(bpf_get_smp_processor_id()) && target__has(task);
		return;
	}
	begin = w->begin;
	if (has_waited(ret))
		finish(task, counted(&waiter, w, ret, counts), ret, counts);
	else
		counts->no_waits++;
	forget(&waiter, begin);
}

static __always_inline void take_exit(void *ctx, __u32 nr, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct lock_counts *counts;
	struct futex_wait wait;

	if (!futex_wait__read(syscall_regs(ctx), task, nr, &wait))
		return;
	counts = enter(false);
	if (!counts)
		return;
	end(task, ret, counts);
	leave(counts);
}

SYSCALL_EXIT(futex_exit, take_exit)

/* Waits that threads are in when perf comes */

/* What user space has read, by tid. The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lock_seed);
} lock_seeds SEC(".maps");

/* Since its stack was read. A task that runs has not been switched away yet. */
static __always_inline bool has_run(struct task_struct *task, const struct lock_seed *seed)
{
	return task->on_cpu || task->exit_state || task->nvcsw + task->nivcsw != seed->switches || task->start_boottime != seed->started;
}

static __always_inline void describe_seed(struct task_struct *task, struct lock_wait *w, const struct futex_wait *wait,
					  struct lock_counts *counts)
{
	const __u64 nobody[2] = { 0, 0 };
	struct filter_source src = source_of(task, w->begin, 0, counts);

	tally_key__fill(&w->key, &src);
	w->key.lock = wait->address;
	w->key.lock_type = wait->type;
	if (lock_config.by != LOCK_BY_WAITER) {
		set_owner(&w->key, 0, LOCK_OWNER_UNKNOWN, nobody);
		w->nr_frames = 0;
	} else if (lock_config.stack_size && !w->nr_frames) {
		__sync_fetch_and_add(&counts->no_stack, 1);
	}
}

/* The end of a wait that comes before its begin is stored finds none. Then the task has run. */
static __always_inline void begin_seed(struct task_struct *task, const struct lock_seed *seed, struct lock_counts *counts)
{
	const struct lock_waiter waiter = waiter_of(task->pid);
	const __u64 began = seed->wait.begin;
	const struct lock_wait *w;

	if (bpf_map_update_elem(&lock_waits, &waiter, &seed->wait, BPF_NOEXIST)) {
		if (!bpf_map_lookup_elem(&lock_waits, &waiter)) {
			__sync_fetch_and_add(&counts->begins, 1);
			__sync_fetch_and_add(&counts->lost, 1);
		}
		return;
	}
	if (has_run(task, seed)) {
		w = bpf_map_lookup_elem(&lock_waits, &waiter);
		if (w && w->begin == began) {
			bpf_map_delete_elem(&lock_waits, &waiter);
			return;
		}
	}
	__sync_fetch_and_add(&counts->begins, 1);
	__sync_fetch_and_add(&counts->seeded, 1);
}

/* It can be interrupted by the programs above: it shares no buffer with them, and counts atomically. */
static __always_inline void seed_task(struct task_struct *task, struct lock_seed *seed)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	const __u32 nr = syscall_number(regs);
	struct lock_counts *counts = lock_counts__get();
	struct futex_wait wait;

	if (!counts || nr == NR_FUTEX_WAITV || !futex_wait__read(regs, task, nr, &wait) || has_run(task, seed))
		return;
	if (lock_config.some_locks && !bpf_map_lookup_elem(&lock_addresses, &wait.address))
		return;
	seed->wait.begin = bpf_ktime_get_ns();
	if (lock_config.filtered && lock_config.filter_early && !keeps(task, seed->wait.begin, 0, counts))
		return;
	describe_seed(task, &seed->wait, &wait, counts);
	begin_seed(task, seed, counts);
}

/* User space runs this once the programs are attached, and lock_seeds is filled. */
SEC("iter/task")
int futex_seed(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct lock_seed *seed;
	__u32 tid;

	if (!task || !task->pid || !target__has(task))
		return 0;
	tid = task->pid;
	seed = bpf_map_lookup_elem(&lock_seeds, &tid);
	if (seed)
		seed_task(task, seed);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
