// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * How long tasks do not run, and where in their code. When a task leaves its CPU it still is the current one: the stacks are taken
 * then. When it returns the time is known: a long sleep is sent to user space at once, a short one is added to the sum of its task
 * and stack. Tasks that still sleep at the end are looked up one by one.
 *
 * Programs on sched_switch run with interrupts off and do not nest on a CPU, nor do those on sched_waking, and neither interrupts
 * the other.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "offcpu-spans.bpf.h"

const volatile __u32 wanted_states;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct offcpu_task);
} tasks SEC(".maps");

/* Skip a sleep that was already reported at the end of an earlier span. */
static __always_inline bool is_asleep(const struct offcpu_task *t)
{
	return t && t->since && t->since >= began_at;
}

/* A function of its own: its locals do not count while a stack is taken. */
static __noinline int end_span(struct task_struct *task, struct offcpu_task *t, __u64 end, struct offcpu_counts *counts)
{
	return finish_sleep(task, t, end, counts);
}

static __always_inline void end_sleep(struct task_struct *task, __u64 now, struct offcpu_counts *counts)
{
	struct offcpu_task *t;

	if (!task->pid)
		return;
	t = bpf_task_storage_get(&tasks, task, 0, 0);
	if (is_asleep(t))
		end_span(task, t, now, counts);
}

/*
 * A CPU may skip the tracepoint (seen with kernel 6.18 in a sandbox, whose own tasks have no hits: the switch from one of them to
 * another task is such a hit). If this task's return was missed, it returned as long ago as it has been running since.
 */
static __always_inline void end_missed_sleep(struct task_struct *task, struct offcpu_task *t, __u64 now,
					     struct offcpu_counts *counts)
{
	__u64 back = now - (task->se.sum_exec_runtime - t->ran);

	if (back > t->since && back <= now)
		end_span(task, t, back, counts);
}

/* One that begins after the end, while the programs are detached, is in no count: nobody shows it. */
static __always_inline void begin_sleep(void *ctx, struct task_struct *task, __u32 state, __u64 now, struct offcpu_counts *counts)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct offcpu_task *t;

	if (!task->pid || now >= ended_at || !(state & wanted_states) || (!kernel_threads && (task->flags & PF_KTHREAD)) || !target__has_cpu(cpu) ||
	    !target__has(task))
		return;
	if (filter_early && !judge(task, cpu, now, 0, counts))
		return;
	t = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		counts->untracked++;
		return;
	}
	if (is_asleep(t))
		end_missed_sleep(task, t, now, counts);
	if (!histogram.kind) {
		t->stack = take_stack(ctx, SLEEPERS_STACK, true);
		counts->lost_stacks += !t->stack;
	}
	t->waker = 0;
	t->state = state;
	t->cpu = cpu;
	t->ran = task->se.sum_exec_runtime;
	t->since = now;
}

/* The kernel's argument prev_state, since Linux 5.18, was read before anybody could wake the task; prev->__state was not. */
SEC("tp_btf/sched_switch")
int BPF_PROG(note_switch, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	struct offcpu_counts *counts;
	__u64 now = bpf_ktime_get_ns();
	__u32 zero = 0;

	counts = bpf_map_lookup_elem(&offcpu_counts, &zero);
	if (!counts)
		return 0;
	begin_sleep(ctx, prev, sleep_state(preempt, prev_state), now, counts);
	end_sleep(next, now, counts);
	return 0;
}

/* It runs, so a sleep that is still noted is over: see end_missed_sleep(). */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(note_exit, struct task_struct *task)
{
	struct offcpu_counts *counts;
	struct offcpu_task *t;
	__u32 zero = 0;

	counts = bpf_map_lookup_elem(&offcpu_counts, &zero);
	t = bpf_task_storage_get(&tasks, task, 0, 0);
	if (counts && is_asleep(t))
		end_missed_sleep(task, t, bpf_ktime_get_ns(), counts);
	return 0;
}

/* The current task wakes p. Its user frames can be resolved only if readers know its maps: those of p's own process. */
SEC("tp_btf/sched_waking")
int BPF_PROG(note_waking, struct task_struct *p)
{
	struct task_struct *waker = bpf_get_current_task_btf();
	struct offcpu_task *t;

	if (!wakers)
		return 0;
	t = bpf_task_storage_get(&tasks, p, 0, 0);
	if (is_asleep(t))
		t->waker = take_stack(ctx, WAKERS_STACK, waker->tgid == p->tgid);
	return 0;
}

/*
 * A thread that slept before its recording: its time since then counts. If it is woken up just now, the note may stay when it runs: see
 * end_missed_sleep().
 */
static __always_inline void note_sleeper(struct task_struct *task, struct offcpu_counts *counts)
{
	const __u32 state = sleep_state(false, task->__state);
	struct offcpu_task *t;

	if (!task->pid || task->exit_state || task->on_cpu || !(state & wanted_states) || !target__has(task))
		return;
	if (filter_early && !judge(task, task->thread_info.cpu, began_at, 0, counts))
		return;
	t = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		counts->untracked++;
		return;
	}
	if (is_asleep(t))
		return;
	t->stack = take_seed_stack(task);
	counts->lost_stacks += !t->stack;
	t->waker = 0;
	t->state = state;
	t->cpu = task->thread_info.cpu;
	t->ran = task->se.sum_exec_runtime;
	t->since = began_at;
}

/*
 * User space runs this when the recording begins, for threads that sleep then, and after the other programs were detached, for those that still
 * sleep. May be called twice for a task.
 */
SEC("iter/task")
int visit_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct offcpu_counts *counts;
	struct offcpu_sleep sleep;
	struct offcpu_task *t;
	__u32 zero = 0;

	counts = bpf_map_lookup_elem(&offcpu_counts, &zero);
	if (!task || !counts)
		return 0;
	if (ended_at == WALL_NEVER) {
		note_sleeper(task, counts);
		return 0;
	}
	t = bpf_task_storage_get(&tasks, task, 0, 0);
	if (!is_asleep(t) || t->since >= ended_at)
		return 0;
	if (!filter_early && !judge(task, t->cpu, ended_at, ended_at - t->since, counts))
		return 0;
	fill_sleep(&sleep, task, t, ended_at);
	bpf_seq_write(ctx->meta->seq, &sleep, sizeof(sleep));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
