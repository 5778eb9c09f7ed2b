/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * What programs that measure waits for locks share, whosever locks they are: the waits that go on, and adding one that has ended to the row of
 * its key. Include vmlinux.h and libbpf's headers first.
 */
#ifndef PERF_BPF_LOCK_COMMON_BPF_H
#define PERF_BPF_LOCK_COMMON_BPF_H

#include "lock-wait.h"
#include "target.bpf.h"
#define FILTER_SLOTS FILTER_MAX_ENTRIES
#include "filter-task.bpf.h"
#include "filter-table.bpf.h"
#include "tally.bpf.h"
#include "tally-key.bpf.h"
#include "user-stack.bpf.h"

const volatile struct lock_config lock_config;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* the loader sets the size */
	__type(key, struct lock_waiter);
	__type(value, struct lock_wait);
} lock_waits SEC(".maps");

/* A wait before it is in the map; too large for a program's stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lock_wait);
} lock_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lock_counts);
} lock_counts SEC(".maps");

/* The locks to count, by address. The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u32);
} lock_addresses SEC(".maps");

static __always_inline struct lock_counts *lock_counts__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&lock_counts, &zero);
}

/* The counts of this CPU, which belong to the program until leave(); NULL: another one of ours is running here. */
static __always_inline struct lock_counts *enter(bool begins)
{
	struct lock_counts *counts = lock_counts__get();

	if (counts && !counts->busy) {
		counts->busy = 1;
		return counts;
	}
	if (counts)
		counts->nested += begins;
	return NULL;
}

static __always_inline void leave(struct lock_counts *counts)
{
	counts->busy = 0;
}

static __always_inline struct filter_source source_of(struct task_struct *task, __u64 time, __u64 period, struct lock_counts *counts)
{
	return (struct filter_source){
		.task = task,
		.time = time,
		.period = period,
		.cpu = bpf_get_smp_processor_id(),
		.words = &filter_words,
		.every = counts->every,
	};
}

static __always_inline bool keeps(struct task_struct *task, __u64 time, __u64 period, struct lock_counts *counts)
{
	struct filter_source src = source_of(task, time, period, counts);

	if (filter_table__accepts(&src))
		return true;
	counts->dropped++;
	return false;
}

static __always_inline void set_owner(struct tally_key *key, __u32 pid, __u32 tid, const __u64 *comm)
{
	key->pid = pid;
	key->tid = tid;
	key->comm[0] = comm[0];
	key->comm[1] = comm[1];
}

static __always_inline __u32 stack_size(void)
{
	const __u32 max = LOCK_MAX_FRAMES * sizeof(__u64);

	return lock_config.stack_size < max ? lock_config.stack_size : max;
}

/*
 * The current task's user stack. It goes through the tally's scratch, as user_stack() needs room for more frames; the caller must own that
 * of this CPU.
 */
static __always_inline void take_user_stack(void *ctx, struct lock_wait *w)
{
	struct tally_scratch *s = tally_scratch__get();
	long size;

	w->user_frames = 1;
	w->nr_frames = 0;
	if (!s || bpf_get_current_task_btf()->flags & PF_KTHREAD)
		return;
	size = user_stack(ctx, s->record.frame, stack_size());
	if (size <= 0)
		return;
	__builtin_memcpy(w->frame, s->record.frame, sizeof(w->frame));
	w->nr_frames = size / sizeof(w->frame[0]);
}

static __always_inline void add(const struct lock_wait *w, __u64 ns, struct tally_scratch *s)
{
	struct tally_record *r = &s->record;
	const __u32 nr = w->nr_frames <= LOCK_MAX_FRAMES ? w->nr_frames : 0;

	r->time = w->begin + ns;
	r->period = r->rank = ns;
	r->key = w->key;
	r->lock = w->lock;
	r->key.nr_user = w->user_frames ? nr : 0;
	r->key.nr_kernel = w->user_frames ? 0 : nr;
	__builtin_memcpy(r->frame, w->frame, sizeof(w->frame));
	tally__add(s);
}

#endif
