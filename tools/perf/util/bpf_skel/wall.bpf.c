// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Wall-clock time of threads: each nanosecond from the begin of the recording, or of the thread, to its end belongs to exactly one span.
 * wall_task.at is the time up to which all is accounted. Each event of a thread (it leaves a CPU, is woken, gets a CPU, is sampled, ends)
 * accounts the time since, and moves it on. So sums are exact, whatever events the kernel hides.
 *
 * Time on a CPU belongs to the stacks that samples of a clock find. Each sample takes all time that the thread has run since its last
 * one, also before it left the CPU in between; what is left at the end belongs to the place of the last one.
 *
 * Events of one thread are serialized by the lock of its run queue, or it is the current one. A program that may be interrupted takes
 * the thread's time before it writes it.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "offcpu-spans.bpf.h"
#include "context-mode.bpf.h"
#include "tp-values.bpf.h"

#define ENDED (~0ULL)

#define LCB_F_SPIN 1 /* include/trace/events/lock.h: it does not sleep for the lock */

struct wall_task {
	__u64 at;	 /* 0: no event yet; or ENDED */
	__u64 woken;	 /* since it left its CPU; 0: it was not */
	__u64 unsampled; /* ns that it ran without a sample */
	__u64 ran;	 /* all its time on CPUs, as the kernel counts it, until at */
	__u64 stack, waker; /* where it left its CPU, and who woke it */
	__u64 run_stack; /* of its last sample */
	__u64 seed_stack; /* of the time before its first event */
	__u32 state, run_state, seed_state;
	__u32 cpu;
	bool in_lock;
	bool kept;	 /* by a filter that judges when it leaves its CPU */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wall_task);
} wall_tasks SEC(".maps");

static __always_inline struct offcpu_counts *counts_at(__u64 now)
{
	__u32 zero = 0;

	return now >= began_at && now < ended_at ? bpf_map_lookup_elem(&offcpu_counts, &zero) : NULL;
}

static __always_inline bool keep_early(struct task_struct *task, __u32 cpu, __u64 now, struct offcpu_counts *counts)
{
	return !filter_early || judge(task, cpu, now, 0, counts);
}

static __always_inline bool is_futex(__u32 syscall)
{
#if defined(__TARGET_ARCH_x86)
	return syscall == 202 || syscall == 449 || syscall == 455; /* futex, futex_waitv, futex_wait */
#elif defined(__TARGET_ARCH_arm64)
	return syscall == 98 || syscall == 449 || syscall == 455;
#endif
}

static __always_inline bool waits_for_futex(struct task_struct *task)
{
	return !(task->flags & PF_KTHREAD) && !is_compat(task) && is_futex(syscall_number((const struct pt_regs *)bpf_task_pt_regs(task)));
}

static __always_inline __u32 off_state(struct task_struct *task, bool in_lock, __u32 state)
{
	if (in_lock && state & (OFFCPU_SLEEPING | OFFCPU_DISK))
		return OFFCPU_LOCK;
	return state == OFFCPU_SLEEPING && waits_for_futex(task) ? OFFCPU_FUTEX : state;
}

/* Its time before its first event, in the state that the event tells. */
static __always_inline void begin(struct wall_task *t, struct task_struct *task, __u32 state, __u64 at, struct offcpu_counts *counts)
{
	t->cpu = task->thread_info.cpu; /* of a task that is woken up, too, which another CPU may do */
	t->state = state ?: t->seed_state & ~(OFFCPU_RUNS | OFFCPU_PREEMPTED) ?: OFFCPU_SLEEPING;
	t->stack = t->seed_stack;
	t->woken = t->waker = t->unsampled = 0;
	t->ran = task->se.sum_exec_runtime;
	t->kept = keep_early(task, t->cpu, at, counts);
	t->at = at;
}

static __always_inline __u64 begin_of(struct task_struct *task)
{
	return task->start_time > began_at ? task->start_time : began_at;
}

/*
 * The time of a command begins where it gets its CPU for its exec.
 *
 * state: the one until now if this is the first event of the task; 0: it slept. NULL: not of the target, or it has
 * ended
 */
static __always_inline struct wall_task *wall_task__get(struct task_struct *task, __u32 state, __u64 now, struct offcpu_counts *counts)
{
	struct wall_task *t;
	bool waits;

	if (!task->pid)
		return NULL;
	t = bpf_task_storage_get(&wall_tasks, task, 0, 0);
	if (t && t->at)
		return t->at == ENDED ? NULL : t;
	waits = target__waits(task);
	if (!target__has(task) && !(waits && state == OFFCPU_PREEMPTED))
		return NULL;
	t = bpf_task_storage_get(&wall_tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		counts->untracked++;
		return NULL;
	}
	if (target__waits(task)) {
		t->woken = now;
		return NULL;
	}
	begin(t, task, state, waits ? t->woken ?: now : begin_of(task), counts);
	if (state & OFFCPU_RUNS)
		t->ran -= now - t->at;
	return t;
}

/* The whole span is written: it has at least one ns. */
static __noinline int put(struct task_struct *task, const struct wall_task *t, struct offcpu_task *span, __u64 end)
{
	struct offcpu_counts *counts;
	__u32 zero = 0;

	counts = bpf_map_lookup_elem(&offcpu_counts, &zero);
	if (!counts || end <= span->since)
		return 0;
	if (span->state & OFFCPU_RUNS ? keep_early(task, span->cpu, end, counts) : t->kept)
		finish_sleep(task, span, end, counts);
	return 0;
}

static __always_inline struct offcpu_task run_span(const struct wall_task *t, __u64 end, __u32 cpu)
{
	return (struct offcpu_task){
		.since = end - t->unsampled,
		.stack = t->run_stack ?: t->stack,
		.state = t->run_state ?: OFFCPU_RUNNING,
		.cpu = cpu,
	};
}

/* When its sleep ended, if it got its CPU at back. */
static __always_inline __u64 wake_time(const struct wall_task *t, __u64 back)
{
	return t->state != OFFCPU_PREEMPTED && t->woken >= t->at && t->woken < back ? t->woken : back;
}

static __always_inline struct offcpu_task off_span(const struct wall_task *t)
{
	return (struct offcpu_task){ .since = t->at, .stack = t->stack, .waker = t->waker, .state = t->state, .cpu = t->cpu };
}

static __always_inline struct offcpu_task waiting_span(const struct wall_task *t, __u64 since)
{
	return (struct offcpu_task){ .since = since, .stack = t->stack, .state = OFFCPU_PREEMPTED, .cpu = t->cpu };
}

/* Account the time until it got its CPU. */
static __always_inline void end_off(struct task_struct *task, struct wall_task *t, __u64 back)
{
	__u64 woken = wake_time(t, back);
	struct offcpu_task span = off_span(t);

	put(task, t, &span, woken);
	if (woken < back) {
		span = waiting_span(t, woken);
		put(task, t, &span, back);
	}
	t->at = back;
}

/* It runs until now. If the event of its coming was hidden, it has been here for as long as the kernel says that it has run. */
static __always_inline void run_until(struct task_struct *task, struct wall_task *t, __u64 now)
{
	if (!(t->state & OFFCPU_RUNS)) {
		__u64 ran = task->se.sum_exec_runtime - t->ran, first = t->woken > t->at ? t->woken : t->at;

		end_off(task, t, ran < now - first ? now - ran : first);
		t->state = OFFCPU_RUNNING;
		t->woken = 0;
	}
	if (now > t->at) {
		t->unsampled += now - t->at;
		t->ran += now - t->at;
	}
	t->at = now;
}

static __always_inline void leave_cpu(void *ctx, struct task_struct *task, __u32 state, __u64 now, struct offcpu_counts *counts)
{
	struct wall_task *t = wall_task__get(task, OFFCPU_RUNNING, now, counts);

	if (!t)
		return;
	run_until(task, t, now);
	t->cpu = bpf_get_smp_processor_id();
	t->woken = t->waker = 0;
	t->ran = task->se.sum_exec_runtime;
	t->state = off_state(task, t->in_lock, state ?: OFFCPU_SLEEPING);
	t->kept = keep_early(task, t->cpu, now, counts);
	if (!t->kept || histogram.kind)
		return;
	t->stack = take_stack(ctx, SLEEPERS_STACK, true);
	counts->lost_stacks += !t->stack;
}

/*
 * If the event of its leaving was hidden, it was away for the time that it did not run. The kernel may count less than what has passed, as it
 * can leave out interrupts.
 */
static __always_inline void get_cpu(struct task_struct *task, __u64 now, struct offcpu_counts *counts)
{
	struct wall_task *t = wall_task__get(task, OFFCPU_PREEMPTED, now, counts);
	__s64 ran;

	if (!t)
		return;
	if (t->state & OFFCPU_RUNS) {
		ran = task->se.sum_exec_runtime - t->ran;
		ran = ran < 0 ? 0 : ran < now - t->at ? ran : now - t->at;
		t->unsampled += ran;
		t->at += ran;
		t->state = t->woken > t->at ? OFFCPU_SLEEPING : OFFCPU_PREEMPTED;
	}
	end_off(task, t, now);
	t->state = OFFCPU_RUNNING;
	t->woken = 0;
	t->ran = task->se.sum_exec_runtime;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(note_switch, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	__u64 now = bpf_ktime_get_ns();
	struct offcpu_counts *counts = counts_at(now);

	if (!counts)
		return 0;
	leave_cpu(ctx, prev, sleep_state(preempt, prev_state), now, counts);
	get_cpu(next, now, counts);
	return 0;
}

/* It is in its run queue from now on. A new task is without an event: its first one says that it waited. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(note_wakeup, struct task_struct *task)
{
	__u64 now = bpf_ktime_get_ns();
	struct offcpu_counts *counts = counts_at(now);
	struct wall_task *t;

	t = counts ? wall_task__get(task, 0, now, counts) : NULL;
	if (t && !t->woken)
		t->woken = now;
	return 0;
}

/* The current task wakes it. Its user frames can be resolved only if readers know its maps: those of the woken one's process. */
SEC("tp_btf/sched_waking")
int BPF_PROG(note_waking, struct task_struct *task)
{
	struct task_struct *waker = bpf_get_current_task_btf();
	struct wall_task *t;

	if (!wakers)
		return 0;
	t = bpf_task_storage_get(&wall_tasks, task, 0, 0);
	if (t && t->at && t->at != ENDED && t->kept && !(t->state & (OFFCPU_RUNS | OFFCPU_PREEMPTED)) && !t->woken)
		t->waker = take_stack(ctx, WAKERS_STACK, waker->tgid == task->tgid);
	return 0;
}

/* It runs; interrupts may, too. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(note_exit, struct task_struct *task)
{
	__u64 now = bpf_ktime_get_ns();
	struct offcpu_counts *counts = counts_at(now);
	struct offcpu_task span;
	struct wall_task *t, last;

	t = counts ? wall_task__get(task, OFFCPU_RUNNING, now, counts) : NULL;
	if (!t)
		return 0;
	last = *t;
	t->at = ENDED;
	run_until(task, &last, now);
	span = run_span(&last, now, bpf_get_smp_processor_id());
	put(task, &last, &span, now);
	return 0;
}

SEC("tp_btf/contention_begin")
int BPF_PROG(note_contention, void *lock, unsigned int flags)
{
	__u64 now = bpf_ktime_get_ns();
	struct offcpu_counts *counts = counts_at(now);
	struct wall_task *t;

	if (!counts || flags & LCB_F_SPIN)
		return 0;
	t = wall_task__get(bpf_get_current_task_btf(), OFFCPU_RUNNING, now, counts);
	if (t)
		t->in_lock = true;
	return 0;
}

SEC("tp_btf/contention_end")
int BPF_PROG(note_lock, void *lock, int ret)
{
	struct wall_task *t;

	t = bpf_task_storage_get(&wall_tasks, bpf_get_current_task_btf(), 0, 0);
	if (t)
		t->in_lock = false;
	return 0;
}

/* A sample of the clock, with interrupts off. */
SEC("perf_event")
int take_run(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 now = bpf_ktime_get_ns();
	struct offcpu_counts *counts = counts_at(now);
	struct offcpu_task span;
	struct wall_task *t;

	t = counts ? wall_task__get(task, OFFCPU_RUNNING, now, counts) : NULL;
	if (!t)
		return 0;
	run_until(task, t, now);
	t->run_state = context_mode(ctx) == FILTER_MODE_KERNEL ? OFFCPU_KERNEL : OFFCPU_USER;
	if (!histogram.kind) {
		t->run_stack = take_stack(ctx, SLEEPERS_STACK, true);
		counts->lost_stacks += !t->run_stack;
	}
	span = run_span(t, now, bpf_get_smp_processor_id());
	t->unsampled = 0;
	put(task, t, &span, now);
	return 0;
}

/* What a task does before the recording, or its next span, begins: for those that have no event for long. */
static __always_inline void seed(struct task_struct *task)
{
	struct wall_task *t;

	if (task->exit_state || !target__has(task))
		return;
	t = bpf_task_storage_get(&wall_tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t)
		return;
	*t = (struct wall_task){ .cpu = task->thread_info.cpu };
	t->seed_state = task->on_cpu ? OFFCPU_RUNNING : off_state(task, false, sleep_state(false, task->__state) ?: OFFCPU_SLEEPING);
	if (t->seed_state != OFFCPU_RUNNING && !histogram.kind)
		t->seed_stack = take_seed_stack(task);
}

/* Its last spans in the order of time, which begin where the one before ended. */
#define MAX_SPANS 3
static __always_inline void show(struct bpf_iter__task *ctx, struct task_struct *task, const struct wall_task *t,
				 struct offcpu_task *span, struct offcpu_counts *counts)
{
	struct offcpu_sleep sleep;

	/* Linux 6.1 refuses a loop whose head comes right after a call. */
#pragma unroll
	for (int i = 0; i < MAX_SPANS; i++) {
		__u64 end = i + 1 < MAX_SPANS ? span[i + 1].since : ended_at;
		bool runs = span[i].state & OFFCPU_RUNS;

		if (!i) {
			end = t->at;
			span[i].since = end - t->unsampled;
		}
		if (end <= span[i].since || (filter_early && !runs && !t->kept))
			continue;
		if ((!filter_early || runs) && !judge(task, span[i].cpu, end, end - span[i].since, counts))
			continue;
		fill_sleep(&sleep, task, &span[i], end);
		bpf_seq_write(ctx->meta->seq, &sleep, sizeof(sleep));
	}
}

/*
 * Before began_at it notes what the tasks do, and after ended_at it shows how they spent the last of their time; no other program notes
 * anything then. May be called twice for a task.
 */
SEC("iter/task")
int visit_task(struct bpf_iter__task *ctx)
{
	struct offcpu_task span[MAX_SPANS];
	struct task_struct *task = ctx->task;
	struct offcpu_counts *counts;
	struct wall_task *t, last;
	__u32 zero = 0;

	counts = bpf_map_lookup_elem(&offcpu_counts, &zero);
	if (!task || !counts || !task->pid)
		return 0;
	if (began_at == WALL_NEVER) {
		seed(task);
		return 0;
	}
	t = bpf_task_storage_get(&wall_tasks, task, 0, 0);
	if (!t || t->at == ENDED)
		return 0;
	last = *t;
	if (!last.at) {
		if (!target__has(task) || begin_of(task) >= ended_at)
			return 0;
		begin(&last, task, last.seed_state ?: OFFCPU_PREEMPTED, begin_of(task), counts);
	}
	if (last.state & OFFCPU_RUNS) {
		last.unsampled += ended_at - last.at;
		last.at = ended_at;
	}
	span[0] = run_span(&last, last.at, last.cpu);
	span[1] = off_span(&last);
	span[2] = waiting_span(&last, wake_time(&last, ended_at));
	show(ctx, task, &last, span, counts);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
