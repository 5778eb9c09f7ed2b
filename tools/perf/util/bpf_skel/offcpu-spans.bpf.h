/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The times of tasks as spans, with the stacks in which they were spent: what the programs for off-CPU time and for wall-clock time share. A
 * stack is sent to user space once; a long span is sent at once, a short one is added to the sum of its task and stack. Include vmlinux.h
 * and libbpf's headers first.
 *
 * Programs run with interrupts off and do not nest on a CPU; so there is a per-CPU buffer for each kind of stack, and counts are
 * plain increments.
 */
#ifndef PERF_BPF_OFFCPU_SPANS_BPF_H
#define PERF_BPF_OFFCPU_SPANS_BPF_H

#include "offcpu-state.bpf.h"
#include "target.bpf.h"
#define FILTER_SLOTS FILTER_MAX_ENTRIES
#include "filter-task.bpf.h"
#include "filter-table.bpf.h"
#include "histogram.bpf.h"
#define USER_STACK_HASHES
#include "user-stack.bpf.h"

const volatile __u64 long_ns;	  /* send sleeps of at least this long at once */
const volatile __u32 sent_states; /* send spans in these states at once, however long they are */
const volatile bool kernel_threads;
const volatile bool has_filter;
const volatile struct histogram_config histogram; /* kind HISTOGRAM_NONE: sum by stack, not by number */
const volatile bool by_state;	  /* sums are of one state each */
const volatile bool wakers;	  /* the program on sched_waking will be attached; else the verifier need not walk through it */
const volatile bool filter_early; /* the filter depends only on data from the start of a sleep */

/* Index of the map of sums in use; user space reads the other one. */
__u32 sums_in_use = 0;
/* When the recording, or its current span, began and ended, for tasks that still sleep. */
__u64 began_at = 0;
__u64 ended_at = 0;

struct offcpu_task { /* a span, when it ends */
	__u64 since; /* 0: it runs, or is not of interest */
	__u64 ran;   /* its time on CPUs until then */
	__u64 stack, waker;
	__u32 state;
	__u32 cpu;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} ring SEC(".maps");

/* Hashes of stacks that user space already has, and how often each was met. When the map is full, stacks are sent again. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, __u64);
	__type(value, __u32);
} sent_stacks SEC(".maps");

struct sums {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct offcpu_key);
	__type(value, struct offcpu_sum);
};
struct sums sums0 SEC(".maps"), sums1 SEC(".maps");

enum { SLEEPERS_STACK, WAKERS_STACK, SEEDS_STACK, NR_STACKS };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_STACKS);
	__type(key, __u32);
	__type(value, struct offcpu_stack);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct offcpu_counts);
} offcpu_counts SEC(".maps");

/* A wake-up when a quarter is full; before that user space polls by itself. */
static __always_inline __u64 ring_wakeup(void)
{
	__u64 quarter = bpf_ringbuf_query(&ring, BPF_RB_RING_SIZE) / 4;

	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= quarter ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* Global, so that the verifier walks through the loop once and not for each call on each path. */
__noinline __u64 hash_stack(const struct offcpu_stack *stack, __u32 nr, bool user)
{
	__u64 hash;

	if (!stack)
		return 0;
	hash = stack->nr_kernel;

	for (__u32 i = 0; i < 2 * OFFCPU_MAX_FRAMES && i < nr; i++) {
		hash = (hash ^ stack->ip[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	if (user && user_stack_is_unfinished())
		hash = user_stack_hash_rest(hash);
	return hash ?: 1;
}

static __always_inline __u32 nr_frames(long bytes)
{
	return bytes > 0 ? bytes / sizeof(__u64) : 0;
}

static __always_inline bool send_stack(struct offcpu_stack *stack, bool user)
{
	const __u32 size = sizeof(*stack) - sizeof(stack->ip) + stack->nr * sizeof(__u64);

	if (size > sizeof(*stack))
		return false;
	stack->size = size;
	if (user && user_stack_send(&ring, stack, size, __builtin_offsetof(struct offcpu_stack, nr) / sizeof(__u64)))
		return true;
	return !bpf_ringbuf_output(&ring, stack, size, ring_wakeup());
}

/*
 * Hash of the current task's stack; user space has the stack, or will get it before anything that is sent from now on. 0: could not
 * be taken or sent.
 */
static __noinline __u64 take_stack(void *ctx, __u32 place, bool user)
{
	const __u32 max_size = OFFCPU_MAX_FRAMES * sizeof(__u64);
	struct offcpu_stack *stack = bpf_map_lookup_elem(&stacks, &place);
	__u32 nr_kernel, nr, one = 1;
	__u32 *met;
	__u64 hash;

	if (!stack)
		return 0;
	nr_kernel = nr_frames(bpf_get_stack(ctx, stack->ip, max_size, 0));
	if (nr_kernel > OFFCPU_MAX_FRAMES)
		return 0;
	nr = nr_kernel;
	if (user)
		nr += nr_frames(user_stack(ctx, &stack->ip[nr_kernel], max_size));
	if (!nr || nr > 2 * OFFCPU_MAX_FRAMES)
		return 0;
	stack->type = OFFCPU_STACK;
	stack->nr_kernel = nr_kernel;
	stack->nr = nr;
	hash = hash_stack(stack, nr, user);
	met = bpf_map_lookup_elem(&sent_stacks, &hash);
	if (met) {
		__sync_fetch_and_add(met, 1);
		return hash;
	}
	stack->hash = hash;
	if (!send_stack(stack, user))
		return 0;
	bpf_map_update_elem(&sent_stacks, &hash, &one, BPF_NOEXIST);
	return hash;
}

/* The kernel's part of the stack that a task sleeps in. User space adds the rest, if it can, and mostly before it gets this. */
static __always_inline __u64 take_seed_stack(struct task_struct *task)
{
	__u32 place = SEEDS_STACK, one = 1;
	struct offcpu_stack *stack = bpf_map_lookup_elem(&stacks, &place);
	__u64 hash;
	__u32 nr;

	if (!stack)
		return 0;
	nr = nr_frames(bpf_get_task_stack(task, stack->ip, OFFCPU_MAX_FRAMES * sizeof(__u64), 0));
	if (!nr || nr > OFFCPU_MAX_FRAMES)
		return 0;
	stack->type = OFFCPU_STACK;
	stack->nr_kernel = stack->nr = nr;
	hash = task->flags & PF_KTHREAD ? hash_stack(stack, nr, false) : offcpu_seed(task->pid, task->start_boottime, task->nvcsw + task->nivcsw);
	if (bpf_map_lookup_elem(&sent_stacks, &hash))
		return hash;
	stack->hash = hash;
	if (!send_stack(stack, false))
		return 0;
	bpf_map_update_elem(&sent_stacks, &hash, &one, BPF_NOEXIST);
	return hash;
}

static __always_inline struct filter_source source_of(struct task_struct *task, __u32 cpu, __u64 time, __u64 period)
{
	return (struct filter_source){
		.task = task,
		.time = time,
		.period = period,
		.cpu = cpu,
		.words = &filter_words,
	};
}

/* false: the filter drops this sleep. */
static __noinline bool judge(struct task_struct *task, __u32 cpu, __u64 time, __u64 period, struct offcpu_counts *counts)
{
	struct filter_source src = source_of(task, cpu, time, period);

	src.every = counts->every;
	counts->seen++;
	if (!has_filter || filter_table__accepts(&src))
		return true;
	counts->dropped++;
	return false;
}

/* The current task is another one. */
static __always_inline void fill_who(struct offcpu_who *who, struct task_struct *task, const struct offcpu_task *t)
{
	who->pid = task->tgid;
	who->tid = task->pid;
	who->uid = BPF_CORE_READ(task, cred, uid.val);
	who->cpu = t->cpu;
	who->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	bpf_core_read_str(who->comm, sizeof(who->comm), &task->comm);
}

static __always_inline __u64 histogram_value(struct task_struct *task, const struct offcpu_task *t, __u64 now)
{
	struct filter_source src = source_of(task, t->cpu, now, now - t->since);

	return histogram_number__read(&histogram.number, filter_source__fetch(&src, histogram.number.term, 0));
}

static __always_inline void fill_sleep(struct offcpu_sleep *sleep, struct task_struct *task, const struct offcpu_task *t, __u64 now)
{
	*sleep = (struct offcpu_sleep){
		.type = OFFCPU_SLEEP,
		.state = t->state,
		.end = now,
		.ns = now - t->since,
		.stack = t->stack,
		.waker = t->waker,
	};
	if (histogram.kind) {
		sleep->value = histogram_value(task, t, now);
		sleep->bucket = histogram__bucket(&histogram, sleep->value);
	}
	fill_who(&sleep->who, task, t);
}

static __always_inline bool send_sleep(struct task_struct *task, const struct offcpu_task *t, __u64 now,
				       struct offcpu_counts *counts)
{
	struct offcpu_sleep *sleep = bpf_ringbuf_reserve(&ring, sizeof(*sleep), 0);

	if (!sleep) {
		counts->lost++;
		counts->lost_ns += now - t->since;
		return false;
	}
	fill_sleep(sleep, task, t, now);
	bpf_ringbuf_submit(sleep, ring_wakeup());
	return true;
}

/* A task is on one CPU at a time, so no other program changes the sum of this key. */
static __always_inline bool add_to_sum(struct task_struct *task, const struct offcpu_task *t, __u64 now)
{
	struct offcpu_key key = {
		.pid = task->tgid,
		.tid = task->pid,
		.stack = t->stack,
		.waker = t->waker,
		.state = by_state ? t->state : 0,
	};
	struct offcpu_sum first = { .ns = now - t->since, .nr = 1 };
	struct offcpu_sum *sum;

	if (histogram.kind) {
		first.ns = histogram_value(task, t, now);
		first.least = first.greatest = histogram__rank(&histogram, first.ns);
		key.bucket = histogram__bucket(&histogram, first.ns);
	}
	if (sums_in_use)
		sum = bpf_map_lookup_elem(&sums1, &key);
	else
		sum = bpf_map_lookup_elem(&sums0, &key);
	if (sum) {
		sum->ns += first.ns;
		sum->nr++;
		if (first.least < sum->least)
			sum->least = first.least;
		if (first.greatest > sum->greatest)
			sum->greatest = first.greatest;
		return true;
	}
	fill_who(&first.who, task, t);
	if (sums_in_use)
		return !bpf_map_update_elem(&sums1, &key, &first, BPF_NOEXIST);
	return !bpf_map_update_elem(&sums0, &key, &first, BPF_NOEXIST);
}

static __always_inline int finish_sleep(struct task_struct *task, struct offcpu_task *t, __u64 now, struct offcpu_counts *counts)
{
	__u64 ns = now - t->since;

	if (filter_early || judge(task, t->cpu, now, ns, counts)) {
		if (ns >= long_ns || t->state & sent_states)
			counts->sent += send_sleep(task, t, now, counts);
		else if (add_to_sum(task, t, now))
			counts->summed++;
		else
			counts->spilled += send_sleep(task, t, now, counts);
	}
	t->since = 0;
	return 0;
}

#endif
