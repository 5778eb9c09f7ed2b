// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Histograms of tracepoints: of a number in their records, or of the time from a hit of one to the hit of another with the same key.
 * The user-space side is source/histogram-source.c.
 *
 * There is a program for each place and kind of tracepoint; histogram_hooks, a constant for the verifier, empties the unused ones.
 * Programs for one place share scratch memory, since only one of them is attached. On a CPU no program is interrupted by itself, nor
 * is one of type tracepoint by another one: the kernel then skips the second, and counts it as missed.
 */
#include "tp-hit.bpf.h"
#include "tp-values.bpf.h"
#include "probe-record.bpf.h"
#include "tp-tally.bpf.h"

const volatile struct histogram_hooks histogram_hooks;
const volatile struct tp_config second_config;
const volatile struct latency_config latency_config;

struct latency_key {
	__u64 part[LATENCY_MAX_KEYS];
};

struct latency_start {
	__u64 time;
	struct tally_key who; /* attributes of the task that started it */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* the loader sets the size */
	__type(key, struct latency_key);
	__type(value, struct latency_start);
} latency_starts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct latency_counts);
} latency_counts SEC(".maps");

struct histogram_scratch {
	__u64 record[FILTER_RECORD_WORDS];
	struct latency_start start;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct histogram_scratch);
} histogram_scratch SEC(".maps");

struct syscall_record {
	__u64 word[2 + TP_MAX_ARGS]; /* header, number, values; see tp-syscall.bpf.h */
};

static __always_inline struct histogram_scratch *histogram_scratch__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&histogram_scratch, &zero);
}

static __always_inline struct latency_counts *latency_counts__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&latency_counts, &zero);
}

static __always_inline __u64 read_number(const volatile struct histogram_number *number, struct filter_source *src)
{
	return histogram_number__read(number, filter_source__fetch(src, number->term, 0));
}

static __always_inline void latency_key__fill(struct latency_key *key, const volatile struct histogram_number *number,
					      struct filter_source *src)
{
	for (int i = 0; i < LATENCY_MAX_KEYS; i++)
		key->part[i] = i < latency_config.nr_keys ? read_number(&number[i], src) : 0;
}

/* A start replaces an earlier one with the same key: an end belongs to the latest start. */
static __always_inline void remember(struct filter_source *src)
{
	struct latency_counts *counts = latency_counts__get();
	struct histogram_scratch *scratch = histogram_scratch__get();
	struct latency_key key;
	bool again;

	if (!counts || !scratch)
		return;
	latency_key__fill(&key, latency_config.start, src);
	tally_key__fill(&scratch->start.who, src);
	again = bpf_map_lookup_elem(&latency_starts, &key);
	scratch->start.time = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&latency_starts, &key, &scratch->start, BPF_ANY)) {
		counts->lost++;
		return;
	}
	counts->starts++;
	counts->replaced += again;
}

static __always_inline void show(struct filter_source *src)
{
	struct tally_scratch *s = tally_scratch__get();

	if (!s)
		return;
	tally_key__fill(&s->record.key, src); /* a histogram has no use for the time */
	tally_record__set_value(&s->record, read_number(&tally_config.histogram.number, src));
	tally__add(s);
}

static __always_inline void hit_first(struct tp_counts *counts, const __u64 *record, const void *origin, __u64 mode)
{
	struct filter_source src = {
		.record = record,
		.origin = origin,
		.mode = mode,
		.words = &filter_words,
		.counts = &counts->filter,
	};

	if (!tp__keeps(counts, record, origin, mode))
		return;
	if (!tp_config.filtered)
		counts->kept++;
	if (histogram_hooks.second == HISTOGRAM_HOOK_NONE)
		show(&src);
	else
		remember(&src);
}

/* The task that ends it need not be in the target: interrupts hit any task. Ends without a start count only for the target's tasks. */
static __always_inline void hit_second(void *ctx, struct task_struct *task, const __u64 *record, __u64 mode, __u64 now)
{
	struct latency_counts *counts = latency_counts__get();
	struct tally_scratch *s = tally_scratch__get();
	struct filter_source src = { .record = record, .mode = mode, .words = &filter_words };
	struct latency_start *start;
	struct latency_key key;

	if (!counts || !s)
		return;
	latency_key__fill(&key, latency_config.end, &src);
	start = bpf_map_lookup_elem(&latency_starts, &key);
	if (start) {
		s->record.time = now;
		s->record.key = start->who;
		tally_record__set_value(&s->record, now > start->time ? now - start->time : 0);
		if (latency_config.stack_over && s->record.period >= latency_config.stack_over)
			take_stacks(s, ctx, mode == FILTER_MODE_KERNEL);
	}
	/* Of two ends at the same time, the one that deletes the start counts. */
	if (start && !bpf_map_delete_elem(&latency_starts, &key)) {
		counts->ends++;
		tally__add(s);
	} else if (target__has_cpu(bpf_get_smp_processor_id()) && target__has(task)) {
		counts->lone_ends++;
	}
}

SEC("tp_btf/sys_enter")
int BPF_PROG(first_enter, struct pt_regs *regs, long id)
{
	struct syscall_record record;
	struct task_struct *task;
	struct tp_counts *counts;

	if (histogram_hooks.first != HISTOGRAM_HOOK_ENTER || (__u32)id != tp_config.syscall)
		return 0;
	task = bpf_get_current_task_btf();
	counts = tp__enter(task);
	if (!counts || is_compat(task))
		return 0;
	record.word[1] = tp_config.syscall;
	syscall_arguments__read(regs, record.word + 2, tp_config.nr_values);
	hit_first(counts, record.word, record.word, FILTER_MODE_USER);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(first_exit, struct pt_regs *regs, long ret)
{
	struct syscall_record record;
	struct task_struct *task;
	struct tp_counts *counts;

	if (histogram_hooks.first != HISTOGRAM_HOOK_EXIT || syscall_number(regs) != tp_config.syscall)
		return 0;
	task = bpf_get_current_task_btf();
	counts = tp__enter(task);
	if (!counts || is_compat(task))
		return 0;
	record.word[1] = tp_config.syscall;
	record.word[2] = ret;
	hit_first(counts, record.word, record.word, FILTER_MODE_USER);
	return 0;
}

/* Returns 1, since 0 would hide the hit from other users of the tracepoint. */
SEC("tracepoint")
int first_any(void *ctx)
{
	struct histogram_scratch *scratch;
	struct tp_counts *counts;

	if (histogram_hooks.first != HISTOGRAM_HOOK_ANY)
		return 1;
	counts = tp__enter(bpf_get_current_task_btf());
	scratch = histogram_scratch__get();
	if (!counts || !scratch)
		return 1;
	filter_record__copy(scratch->record, &filter_words, ctx);
	hit_first(counts, scratch->record, ctx, FILTER_MODE_KERNEL);
	return 1;
}

SEC("kprobe")
int first_probe(void *ctx)
{
	struct histogram_scratch *scratch;
	struct tp_counts *counts;

	if (histogram_hooks.first != HISTOGRAM_HOOK_PROBE)
		return probe_result(&tp_config.probe);
	counts = tp__enter(bpf_get_current_task_btf());
	scratch = histogram_scratch__get();
	if (!counts || !scratch || !tp_counts__claim(counts))
		return probe_result(&tp_config.probe);
	probe_record__fill(scratch->record, &tp_config.probe, filter_words.record_len, ctx);
	hit_first(counts, scratch->record, scratch->record, probe_mode(&tp_config.probe));
	tp_counts__release(counts);
	return probe_result(&tp_config.probe);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(second_enter, struct pt_regs *regs, long id)
{
	struct syscall_record record;
	struct task_struct *task;
	__u64 now;

	if (histogram_hooks.second != HISTOGRAM_HOOK_ENTER || (__u32)id != second_config.syscall)
		return 0;
	now = bpf_ktime_get_ns();
	task = bpf_get_current_task_btf();
	if (is_compat(task))
		return 0;
	record.word[1] = second_config.syscall;
	syscall_arguments__read(regs, record.word + 2, second_config.nr_values);
	hit_second(ctx, task, record.word, FILTER_MODE_USER, now);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(second_exit, struct pt_regs *regs, long ret)
{
	struct syscall_record record;
	struct task_struct *task;
	__u64 now;

	if (histogram_hooks.second != HISTOGRAM_HOOK_EXIT || syscall_number(regs) != second_config.syscall)
		return 0;
	now = bpf_ktime_get_ns();
	task = bpf_get_current_task_btf();
	if (is_compat(task))
		return 0;
	record.word[1] = second_config.syscall;
	record.word[2] = ret;
	hit_second(ctx, task, record.word, FILTER_MODE_USER, now);
	return 0;
}

SEC("tracepoint")
int second_any(void *ctx)
{
	const __u32 len = latency_config.end_len;
	struct histogram_scratch *scratch;
	__u64 now;

	if (histogram_hooks.second != HISTOGRAM_HOOK_ANY)
		return 1;
	now = bpf_ktime_get_ns();
	scratch = histogram_scratch__get();
	if (!scratch)
		return 1;
	if (len && len <= FILTER_RECORD_LEN)
		bpf_probe_read_kernel(scratch->record, len, ctx);
	hit_second(ctx, bpf_get_current_task_btf(), scratch->record, FILTER_MODE_KERNEL, now);
	return 1;
}

SEC("kprobe")
int second_probe(void *ctx)
{
	struct histogram_scratch *scratch;
	struct tp_counts *counts;
	__u32 zero = 0;
	__u64 now;

	if (histogram_hooks.second != HISTOGRAM_HOOK_PROBE)
		return probe_result(&second_config.probe);
	now = bpf_ktime_get_ns();
	scratch = histogram_scratch__get();
	counts = bpf_map_lookup_elem(&tp_counts, &zero);
	if (!scratch || !counts || !tp_counts__claim(counts))
		return probe_result(&second_config.probe);
	probe_record__fill(scratch->record, &second_config.probe, latency_config.end_len, ctx);
	hit_second(ctx, bpf_get_current_task_btf(), scratch->record, probe_mode(&second_config.probe), now);
	tp_counts__release(counts);
	return probe_result(&second_config.probe);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
