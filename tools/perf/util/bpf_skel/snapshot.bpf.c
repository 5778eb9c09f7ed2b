// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Lists tasks with all that tells where they are: the kernel's stack, and the registers with which they entered the kernel. Nobody is
 * stopped. A task that runs has changed both already; that it has not run between two looks is seen by the number of its switches.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "offcpu-state.bpf.h"
#include "snapshot.h"
#include "target.bpf.h"
#include "tp-values.bpf.h"
#include "descriptors.bpf.h"
#include "lock-place.bpf.h"
#include "unwind-returns.bpf.h"
#define FILTER_SLOTS FILTER_MAX_ENTRIES
#include "filter-task.bpf.h"
#include "filter-table.bpf.h"

const volatile bool has_filter;
const volatile bool has_cache_lookup; /* bpf_get_kmem_cache() */
const volatile __u32 page_size;
__u32 snapshot_judged = 0; /* the tid of the last task; user space sets it to 0 before a list begins */
bool snapshot_accepted = false;
bool snapshot_again = false; /* set by user space: tasks are looked at again, and were judged before */

/*
 * What the scheduler's clock is behind CLOCK_MONOTONIC. The reader has just slept, so its own last arrival on a CPU is nearly now; the
 * least difference that was seen is the best. User space sets it to the greatest number before it sleeps.
 */
__s64 snapshot_behind = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct snapshot_task);
} snapshot_record SEC(".maps");

struct snapshot_every { /* state for FILTER_TERM_EVERY */
	__u64 hits[FILTER_MAX_EVERYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct snapshot_every);
} snapshot_every SEC(".maps");

#define NO_USER_SPACE 0x204010 /* PF_KTHREAD, PF_USER_WORKER, PF_IO_WORKER: include/linux/sched.h */
#define FAIR_CLASS_MIN 100     /* prio of tasks of the fair scheduler */

static __always_inline void note_clock(__u64 now)
{
	struct task_struct *self = bpf_get_current_task_btf();
	__s64 behind;

	if (!bpf_core_field_exists(self->sched_info.last_arrival))
		return;
	behind = now - BPF_CORE_READ(self, sched_info.last_arrival);
	if (behind < snapshot_behind)
		snapshot_behind = behind;
}

/* It left its CPU when it had got it, and had run for its last turn. */
static __always_inline __u64 time_off_cpu(struct task_struct *task, __u64 now)
{
	__u64 left;
	__s64 ns;

	if (!bpf_core_field_exists(task->sched_info.last_arrival))
		return 0;
	left = BPF_CORE_READ(task, sched_info.last_arrival);
	if (!left)
		return 0;
	if (BPF_CORE_READ(task, prio) >= FAIR_CLASS_MIN)
		left += BPF_CORE_READ(task, se.sum_exec_runtime) - BPF_CORE_READ(task, se.prev_sum_exec_runtime);
	ns = now - left - snapshot_behind;
	return ns > 0 ? ns : 0;
}

static __always_inline __u32 cpu_of(struct task_struct *task)
{
	return bpf_core_field_exists(task->thread_info.cpu) ? BPF_CORE_READ(task, thread_info.cpu) : 0;
}

static __always_inline __u32 state_of(struct task_struct *task)
{
	if (BPF_CORE_READ_BITFIELD_PROBED(task, on_cpu))
		return OFFCPU_RUNNING;
	return sleep_state(false, BPF_CORE_READ(task, __state));
}

static __always_inline void read_inner_tid(struct snapshot_task *r, struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct upid upid = { 0 };

	bpf_probe_read_kernel(&upid, sizeof(upid),
			      (char *)pid + bpf_core_field_offset(struct pid, numbers) + BPF_CORE_READ(pid, level) * sizeof(upid));
	r->inner_tid = upid.nr;
	r->pid_ns = BPF_CORE_READ(upid.ns, ns.inum);
}

static __noinline bool judge(struct task_struct *task, __u32 cpu, __u64 time, __u64 period)
{
	struct filter_source src = { .task = task, .time = time, .period = period, .cpu = cpu, .words = &filter_words };
	struct snapshot_every *every;
	__u32 zero = 0;

	every = bpf_map_lookup_elem(&snapshot_every, &zero);
	if (!every)
		return false;
	src.every = every->hits;
	return filter_table__accepts(&src);
}

/* If a record finds no room in the reader's buffer, the kernel shows its task again later. */
static __always_inline bool judge_once(struct task_struct *task, __u32 cpu, __u64 time, __u64 period)
{
	if (snapshot_judged == (__u32)task->pid)
		return snapshot_accepted;
	snapshot_accepted = judge(task, cpu, time, period);
	snapshot_judged = task->pid;
	return snapshot_accepted;
}

static __always_inline void read_regs(struct snapshot_task *r, struct task_struct *task)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);

	r->compat = is_compat(task);
	r->has_regs = !bpf_probe_read_kernel(r->regs, sizeof(r->regs), regs);
	r->call = trace_number(syscall_number(regs), r->compat);
	if (r->compat)
		compat_arguments__read(regs, r->arg);
	else
		syscall_arguments__read(regs, r->arg, SNAPSHOT_MAX_ARGS);
}

#define SOCKFS_MAGIC 0x534f434b /* include/uapi/linux/magic.h */

/* Whether the argument is a descriptor, user space knows. */
static __always_inline void read_socket(struct snapshot_task *r, struct task_struct *task)
{
	const struct file *file = (const struct file *)descriptor__file(task, r->arg[0]);

	if (file && BPF_CORE_READ(file, f_inode, i_sb, s_magic) == SOCKFS_MAGIC)
		socket__read(&r->socket, file);
}

static __always_inline void read_kernel_stack(struct snapshot_task *r, struct task_struct *task)
{
	long size = bpf_get_task_stack(task, r->frame, SNAPSHOT_MAX_FRAMES * sizeof(*r->frame), 0);

	r->nr_kernel = size > 0 ? size / sizeof(*r->frame) : 0;
}

/* Behind the kernel's frames. A function that longjmp(3) has left may be among them. */
static __always_inline void read_returns(struct snapshot_task *r, struct task_struct *task)
{
	struct unwind_returns returns;
	__u32 at;

	unwind_returns__begin(&returns, task, BPF_CORE_READ(task, mm));
	r->trampoline = returns.trampoline;
	for (int i = 0; i < UNWIND_RETURNS_IN_STACK && returns.trampoline && returns.next; i++) {
		unwind_returns__read(&returns);
		at = r->nr_kernel + 2 * i;
		if (at > SNAPSHOT_WORDS - 2)
			return;
		r->frame[at] = returns.stack;
		r->frame[at + 1] = returns.address;
		r->nr_returns = i + 1;
	}
}

/* The low bits of task_struct.blocker: include/linux/hung_task.h */
#define BLOCKER_TYPE 3
enum { BLOCKER_MUTEX, BLOCKER_SEMAPHORE, BLOCKER_RWSEM_READER, BLOCKER_RWSEM_WRITER };

static __always_inline __u8 lock_flags(__u64 blocker)
{
	switch (blocker & BLOCKER_TYPE) {
	case BLOCKER_MUTEX:
		return LOCK_FLAG_MUTEX;
	case BLOCKER_RWSEM_READER:
		return LOCK_FLAG_READ;
	case BLOCKER_RWSEM_WRITER:
		return LOCK_FLAG_WRITE;
	}
	return 0;
}

/* A mutex that is handed over belongs to a task that wakes to take it: nobody holds it. */
static __always_inline void read_owner(struct snapshot_lock *lock)
{
	struct task_struct *owner;
	bool readers;

	if (lock->flags & LOCK_FLAG_MUTEX && lock_owner__word(lock->address, lock->flags) & LOCK_MUTEX_PICKUP)
		return;
	owner = (struct task_struct *)lock_owner__of(lock->address, lock->flags, &readers);
	lock->readers = readers;
	if (!owner)
		return;
	lock->owner = BPF_CORE_READ(owner, pid);
	lock->owner_pid = BPF_CORE_READ(owner, tgid);
}

/* A task that was woken waits no more, though it has not run yet. */
static __always_inline void read_lock(struct snapshot_task *r, struct task_struct *task)
{
	__u64 blocker;

	if (!bpf_core_field_exists(task->blocker) || !(r->state & (OFFCPU_SLEEPING | OFFCPU_DISK)))
		return;
	blocker = BPF_CORE_READ(task, blocker);
	if (!blocker)
		return;
	r->lock.address = blocker & ~(__u64)BLOCKER_TYPE;
	r->lock.flags = lock_flags(blocker);
	read_owner(&r->lock);
	if (!lock_place__of_process(task, r->lock.address, &r->lock.name) && has_cache_lookup)
		lock_place__of_object(r->lock.address, page_size, &r->lock.name);
}

SEC("iter/task")
int snapshot_list(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u64 now = bpf_ktime_get_ns();
	struct snapshot_task *r;
	__u32 zero = 0, size;

	if (!task || !target__has(task) || task->exit_state)
		return 0;
	r = bpf_map_lookup_elem(&snapshot_record, &zero);
	if (!r)
		return 0;
	note_clock(now);
	r->state = state_of(task);
	r->cpu = cpu_of(task);
	r->off_ns = r->state == OFFCPU_RUNNING ? 0 : time_off_cpu(task, now);
	if (has_filter && !snapshot_again && !judge_once(task, r->cpu, now, r->off_ns))
		return 0;
	r->pid = task->tgid;
	r->tid = task->pid;
	read_inner_tid(r, task);
	r->started = BPF_CORE_READ(task, start_boottime);
	r->switches = task->nvcsw + task->nivcsw;
	bpf_probe_read_kernel_str(r->comm, sizeof(r->comm), task->comm);
	r->kernel = !!(task->flags & PF_KTHREAD);
	r->has_regs = 0;
	r->call = -1;
	r->nr_kernel = r->nr_returns = 0;
	r->trampoline = 0;
	r->socket.family = 0;
	__builtin_memset(&r->lock, 0, sizeof(r->lock));
	if (!(task->flags & NO_USER_SPACE))
		read_regs(r, task);
	if (r->state != OFFCPU_RUNNING) {
		read_kernel_stack(r, task);
		read_socket(r, task);
		read_lock(r, task);
		read_returns(r, task);
	}
	size = r->nr_kernel + 2 * r->nr_returns;
	if (size > SNAPSHOT_WORDS)
		return 0;
	size = __builtin_offsetof(struct snapshot_task, frame) + size * sizeof(*r->frame);
	r->size = size;
	bpf_seq_write(ctx->meta->seq, r, size);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
