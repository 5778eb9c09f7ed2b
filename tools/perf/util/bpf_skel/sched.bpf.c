// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Sums up how long tasks wait for a CPU and run; see sched.h.
 *
 * The run queue's lock guards the row of a task while it gets and leaves a CPU. A waking comes from anywhere: the kernel holds the task's own lock
 * then, and waits until the task has left its CPU before it goes on. So rows need no atomic operations.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "sched-account.bpf.h"
#include "target.bpf.h"
#define FILTER_SLOTS FILTER_MAX_ENTRIES
#include "filter-task.bpf.h"
#include "filter-table.bpf.h"

#define TASK_DEAD 0x80

const volatile struct sched_config sched_config;

__u64 sched_began_at = 0; /* when counting began; 0: it has not begun, or has ended. User space sets it when all programs are attached */

/* The loader sets the sizes of maps with 1 entry. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_row);
} sched_rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_stack);
} sched_stacks SEC(".maps");

struct sched_scratch { /* what is too large for a program's stack */
	struct sched_row row;
	struct sched_stack stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_scratch);
} sched_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_counts);
} sched_counts SEC(".maps");

struct state { /* of this CPU */
	struct sched_counts *counts;
	__u64 began_at, now;
	__u32 nr;
	bool counts_here; /* waits that end here, and turns. The states of tasks are followed on all CPUs */
};

static __always_inline bool state__get(struct state *s)
{
	__u32 zero = 0;

	s->began_at = *(volatile __u64 *)&sched_began_at;
	if (!s->began_at)
		return false;
	s->nr = bpf_get_smp_processor_id();
	s->counts = bpf_map_lookup_elem(&sched_counts, &zero);
	s->now = bpf_ktime_get_ns();
	s->counts_here = target__has_cpu(s->nr);
	return s->counts;
}

/* Rows */

static __noinline struct sched_row *row__add(struct task_struct *task, struct sched_counts *counts)
{
	__u32 tid = task->pid;
	struct sched_row new = { .tid = tid, .pid = task->tgid, .exec_mark = task->se.sum_exec_runtime };
	struct sched_row *row;

	__builtin_memcpy(new.comm, task->comm, SCHED_COMM_LEN);
	bpf_map_update_elem(&sched_rows, &tid, &new, BPF_NOEXIST);
	row = bpf_map_lookup_elem(&sched_rows, &tid);
	if (!row)
		counts->lost_rows++;
	return row;
}

/*
 * The row of a task that is watched. A task that has one is, until it has ended: its mark as a part of the target ends before its last
 * turn does. Then its number may be that of another task.
 */
static __always_inline struct sched_row *row_of(struct task_struct *task, struct sched_counts *counts)
{
	__u32 tid = task->pid;
	struct sched_row *row;

	if (!tid)
		return NULL;
	row = bpf_map_lookup_elem(&sched_rows, &tid);
	if (row && row->state != SCHED_ENDED)
		return row;
	if (!target__has(task))
		return NULL;
	if (row)
		row->state = SCHED_UNKNOWN;
	return row ?: row__add(task, counts);
}

static __noinline bool judge(struct task_struct *task, struct sched_counts *counts, __u64 now, __u64 ns, __u32 cpu)
{
	struct filter_source src = {
		.task = task, .time = now, .period = ns, .cpu = cpu, .words = &filter_words, .every = counts->every,
	};

	return filter_table__accepts(&src);
}

/* Waits */

static __noinline void take_stack(struct task_struct *task, struct sched_counts *counts)
{
	__u32 zero = 0, tid = task->pid, size = sched_config.stack_size;
	struct sched_scratch *scratch = bpf_map_lookup_elem(&sched_scratch, &zero);
	long taken;

	if (!scratch)
		return;
	if (size > sizeof(scratch->stack.frame))
		size = sizeof(scratch->stack.frame);
	taken = bpf_get_task_stack(task, scratch->stack.frame, size, 0);
	scratch->stack.nr = taken > 0 ? taken / sizeof(__u64) : 0;
	if (taken <= 0 || bpf_map_update_elem(&sched_stacks, &tid, &scratch->stack, BPF_ANY))
		counts->lost_stacks++;
}

/* prev left the CPU then; NULL: unknown. */
static __always_inline void note_greatest(struct sched_row *row, struct task_struct *prev, struct task_struct *task, const struct state *s)
{
	__u32 tid = task->pid;

	row->by_tid = prev ? prev->pid : SCHED_NOBODY;
	if (prev)
		__builtin_memcpy(row->by_comm, prev->comm, SCHED_COMM_LEN);
	if (!sched_config.stack_size)
		return;
	if (prev)
		take_stack(task, s->counts);
	else
		bpf_map_delete_elem(&sched_stacks, &tid);
}

/* A turn begins, after a wait or not. Whether it counts is in row->kept. */
static __always_inline void count_wait(struct sched_row *row, struct task_struct *prev, struct task_struct *task, bool waited, __u64 ns, __u64 end,
				       const struct state *s)
{
	row->kept = s->counts_here && (!sched_config.filtered || judge(task, s->counts, end, waited ? ns : 0, s->nr));
	if (!s->counts_here)
		return;
	s->counts->unwoken += !waited;
	s->counts->dropped += waited && !row->kept;
	if (!waited || !row->kept)
		return;
	s->counts->kept++;
	s->counts->bucket[sched_bucket(ns, sched_config.linear) & 31]++;
	if (sched_waits__add(&row->wait, ns, end - ns, end))
		note_greatest(row, prev, task, s);
}

/* A task leaves the CPU. */

static __always_inline void begin_unseen_turn(struct sched_row *row, struct task_struct *task, __u64 ran, const struct state *s)
{
	__u64 ns = 0, end = s->now;
	bool waited = sched_row__guess_enter(row, s->now, ran, &ns, &end);

	s->counts->unseen += waited && s->counts_here;
	count_wait(row, NULL, task, waited, ns, end, s);
}

static __always_inline void end_turn(struct sched_row *row, struct task_struct *task, bool runnable, bool dead, __u64 last, const struct state *s)
{
	__u64 ns;

	ns = task->se.sum_exec_runtime - row->exec_mark;
	row->exec_mark = task->se.sum_exec_runtime;
	if (row->state == SCHED_UNKNOWN) { /* it runs since before it was watched */
		ns = s->now - (last ?: s->began_at);
		row->kept = s->counts_here && (!sched_config.filtered || judge(task, s->counts, s->now, 0, s->nr));
	} else if (row->state != SCHED_RUNS) {
		begin_unseen_turn(row, task, ns, s);
	}
	if (row->kept)
		row->runtime += ns;
	row->pid = task->tgid;
	__builtin_memcpy(row->comm, task->comm, SCHED_COMM_LEN);
	sched_row__leave(row, s->now, runnable);
	if (dead)
		row->state = SCHED_ENDED;
}

/* A task gets the CPU. */

static __always_inline void begin_turn(struct sched_row *row, struct task_struct *prev, struct task_struct *next, const struct state *s)
{
	__u64 ns, begin;
	bool waited;

	waited = sched_row__enter(row, s->now, &ns, &begin);
	row->exec_mark = next->se.sum_exec_runtime;
	count_wait(row, prev, next, waited, ns, s->now, s);
}

static __always_inline void count_switch(struct task_struct *prev, struct task_struct *next, __u64 ns, struct sched_counts *counts)
{
	counts->switches++;
	counts->is_idle = !next->pid;
	if (prev->pid)
		counts->task_ns += ns;
	else
		counts->idle_ns += ns;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_on_switch, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	struct sched_row *left, *entered;
	struct state s;
	__u64 last;

	if (!state__get(&s))
		return 0;
	/* Both rows first: the verifier goes through the search for a row once for each state that the program can be in before it. */
	left = row_of(prev, s.counts);
	entered = row_of(next, s.counts);
	last = s.counts->last;
	s.counts->last = s.now;
	if (s.counts_here)
		count_switch(prev, next, s.now - (last ?: s.began_at), s.counts);
	if (left)
		end_turn(left, prev, preempt || !prev_state, prev_state & TASK_DEAD, last, &s);
	if (entered)
		begin_turn(entered, prev, next, &s);
	return 0;
}

static __always_inline void wake(struct task_struct *task)
{
	struct sched_row *row;
	struct state s;

	if (!state__get(&s))
		return;
	row = row_of(task, s.counts);
	if (row)
		sched_row__wake(row, s.now);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_on_waking, struct task_struct *task)
{
	wake(task);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_on_new, struct task_struct *task)
{
	wake(task);
	return 0;
}

/* User space runs this at the end: the turns that go on count up to now. */
SEC("iter/task")
int sched_end_turns(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct sched_row *row;
	__u64 ran;
	__u32 tid;

	if (!task)
		return 0;
	tid = task->pid;
	row = bpf_map_lookup_elem(&sched_rows, &tid);
	if (!row || row->state == SCHED_ENDED)
		return 0;
	row->pid = task->tgid;
	bpf_probe_read_kernel_str(row->comm, sizeof(row->comm), task->comm);
	ran = BPF_CORE_READ(task, se.sum_exec_runtime);
	if (row->state == SCHED_RUNS && row->kept && ran > row->exec_mark)
		row->runtime += ran - row->exec_mark;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
