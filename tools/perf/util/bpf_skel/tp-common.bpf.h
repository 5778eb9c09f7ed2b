/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What programs that record tracepoints share: a sample's header, and sending it through the ring. */
#ifndef PERF_BPF_TP_COMMON_BPF_H
#define PERF_BPF_TP_COMMON_BPF_H

#include "tp-hit.bpf.h"
#include "sample-encode.bpf.h"
#include "tp-tally.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* the loader sets the size */
} tp_ring SEC(".maps");

/* A sample of unknown size is built here. */
#define TP_HEAD_ROOM 256 /* words for head and callchain, a power of two; the rest follows these words */
#define TP_SCRATCH_WORDS (2 * TP_HEAD_ROOM + (TP_MAX_ADDED + TP_MAX_RAW) / 8 + 8)

struct tp_scratch {
	__u64 word[TP_SCRATCH_WORDS];
	__u64 raw; /* index of the word where the sample's raw data begin */
	struct sample_head head; /* of programs that have no room on their stack */
	struct filter_walked walked; /* of the current hit, for the same reason */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tp_scratch);
} tp_scratch SEC(".maps");

/*
 * struct trace_entry: type, flags, preempt_count, pid. Flags describe a moment (interrupts off, a reschedule requested); BPF
 * programs cannot read them where the kernel's symbols lack its data, so they stay 0.
 */
static __always_inline __u64 trace_entry(struct task_struct *task)
{
	return tp_config.type | (__u32)tp_config.preempt_count << 24 | (__u64)(__u32)task->pid << 32;
}

/*
 * A wake-up costs more than a sample, and the reader also polls after a while. So check the ring's level now and then, and wake the
 * reader when there is enough.
 */
#define TP_TURNS 64
static __always_inline __u64 tp__wake_flags(struct tp_counts *counts)
{
	if (++counts->turn % TP_TURNS || bpf_ringbuf_query(&tp_ring, BPF_RB_AVAIL_DATA) < tp_config.wake_at)
		return BPF_RB_NO_WAKEUP;
	return BPF_RB_FORCE_WAKEUP;
}

static __always_inline void sample_head__fill(struct sample_head *head, struct task_struct *task, __u64 ip, __u16 misc)
{
	head->ip = ip;
	head->time = bpf_ktime_get_ns();
	head->period = 1;
	head->id = sample_layout.id;
	head->pid = task->tgid;
	head->tid = task->pid;
	head->cpu = bpf_get_smp_processor_id();
	head->misc = misc;
}

static __always_inline __u32 put_part(void *ctx, __u64 *at, __u64 marker, __u32 max_frames)
{
	long size;

	if (!max_frames || max_frames > TP_MAX_STACK)
		return 0;
	if (marker == PERF_CONTEXT_KERNEL)
		size = bpf_get_stack(ctx, at + 1, max_frames * TP_FRAME_SIZE, 0);
	else
		size = user_stack(ctx, at + 1, max_frames * TP_FRAME_SIZE);
	if (size <= 0)
		return 0;
	*at = marker;
	return 1 + (size / TP_FRAME_SIZE & 127);
}

/* Kernel part, then user part; the limit is the kernel's limit for one stack. Returns the number of words written. */
static __always_inline __u32 put_callchain(void *ctx, __u64 *at)
{
	__u32 nr, kernel;

	kernel = put_part(ctx, at + 1, PERF_CONTEXT_KERNEL, TP_MAX_STACK) & (TP_HEAD_ROOM / 2 - 1);
	nr = kernel + put_part(ctx, at + 1 + kernel, PERF_CONTEXT_USER, TP_MAX_STACK + 1 - kernel);
	at[0] = nr;
	return nr + 1;
}

/* Send the scratch's size bytes of a sample. */
static __always_inline void tp__send(struct tp_counts *counts, struct tp_scratch *scratch, __u64 size)
{
	if (size > sizeof(scratch->word) || bpf_ringbuf_output(&tp_ring, scratch, size, tp__wake_flags(counts)))
		counts->lost++;
}

/* The same for a sample that may have a callchain. Not inlined: its room on the stack is not that of other calls then. */
static __noinline int tp__send_stack(struct tp_counts *counts, struct tp_scratch *scratch, __u64 size)
{
	if (!user_stack_send(&tp_ring, scratch, size, sample_head__words()))
		tp__send(counts, scratch, size);
	return 0;
}

/*
 * Does the filter keep the hit? Then fill in the values that it is counted by. record: the part that the table reads; origin: see
 * filter-tp.bpf.h; NULL: only judge, the caller counts. arguments: NULL, or those that walks begin with. Not inlined: callers have little
 * room on the stack left for those that they call.
 */
static __noinline bool tp__judge(struct tp_counts *counts, const __u64 *record, const void *origin, __u64 mode, const __u64 *arguments)
{
	struct filter_source src = {
		.record = record,
		.origin = origin,
		.mode = mode,
		.words = &filter_words,
		.counts = &counts->filter,
		.arguments = arguments,
	};
	struct tally_scratch *s = tally_scratch__get();
	struct tp_scratch *scratch;
	bool accepted;
	__u32 zero = 0;

	scratch = bpf_map_lookup_elem(&tp_scratch, &zero);
	if (!s || !scratch)
		return false;
	src.walked = &scratch->walked;
	accepted = !tp_config.filtered || filter_table__accepts(&src);
	if (!origin)
		return accepted;
	if (!tp__count_verdict(counts, accepted))
		return false;
	if (tp_config.counted || tp_config.added)
		s->unplaced = !tally_values__fill(&s->record, &src);
	return true;
}

/*
 * Put the values that tp__judge() has read into the sample in the scratch: behind the record's header a bit for each that there is none,
 * and then the words of all. The record's other fields follow them.
 */
static __always_inline void tp_added__put(struct tp_scratch *scratch)
{
	struct tally_scratch *s = tally_scratch__get();
	__u32 *at = (__u32 *)(scratch->word + (scratch->raw & (2 * TP_HEAD_ROOM - 1))) + 1 + TP_HEADER_SIZE / 4;

	if (!s || !tp_config.added || tp_config.added > TP_MAX_ADDED)
		return;
	bpf_probe_read_kernel(at, tp_config.added, &s->record.has); /* and the values, which are behind it */
	*at = ~(__u32)s->record.has & ((1U << tally_config.nr_values) - 1);
}
_Static_assert(__builtin_offsetof(struct tally_record, value) == __builtin_offsetof(struct tally_record, has) + 8, "tp_added__put() copies both");

/* Both steps, or one after the other, before the next hit: the first one's result is in the CPU's memory. */
enum {
	TP_COUNT_TAKE = 1, /* the key with its stacks */
	TP_COUNT_ADD = 2,
};

static __noinline int tp__count(void *ctx, const struct sample_head *head, __u32 steps)
{
	struct tally_scratch *s = tally_scratch__get();

	if (!s)
		return 0;
	if (steps & TP_COUNT_TAKE) {
		s->record.time = head->time;
		if (!tally_sums)
			s->record.period = head->period;
		fill_key(&s->record.key, head);
		take_stacks(s, ctx, head->misc == PERF_RECORD_MISC_KERNEL);
	}
	if (steps & TP_COUNT_ADD && !s->unplaced)
		tally__add_stack(s);
	return 0;
}

#endif
