// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Records or counts any tracepoint. A program of this type sees the record in the layout of its format, and the registers of the
 * place that was hit, so that stacks begin there and have no BPF frames. Its return value is for all users of the tracepoint: 0
 * would hide the hit from them, so it is always 1.
 */
#include "tp-common.bpf.h"

enum tp_verdict { /* of a program that was called before */
	TP_UNJUDGED,
	TP_DROPPED,
	TP_KEPT,
};

#ifdef TP_ARGUMENTS /* for filters of the tracepoint's arguments */
#include "tp-arguments.bpf.h"
#endif

/* The end of the last field's data. */
static __always_inline __u32 record_end(const void *ctx)
{
	__u32 end = 0, loc;

	for (int i = 0; i < TP_MAX_DYNAMIC; i++) {
		if (i >= tp_config.nr_dynamic)
			break;
		if (bpf_probe_read_kernel(&loc, sizeof(loc), ctx + tp_config.dynamic[i].offset))
			continue;
		loc = (loc & 0xffff) + (loc >> 16) + tp_config.dynamic[i].relative;
		if (loc > end)
			end = loc;
	}
	return end;
}

/* The size that perf_trace_buf_alloc() gets: a multiple of 8 with the 4 bytes of size before it. */
static __always_inline __u32 record_size(const void *ctx)
{
	__u32 size;

	if (!tp_config.nr_dynamic)
		return tp_config.raw_size;
	size = ((record_end(ctx) + tp_config.tail + 4 + 7) & ~7U) - 4;
	return size <= TP_MAX_RAW ? size : TP_MAX_RAW - 4;
}

/* Dynamic data lie behind the values that users add, and so do the fields that say where. record: after the added values */
static __always_inline void shift_dynamic(char *record)
{
	for (int i = 0; i < TP_MAX_DYNAMIC; i++) {
		if (i >= tp_config.nr_dynamic)
			break;
		if (!tp_config.dynamic[i].relative && tp_config.dynamic[i].offset < TP_MAX_RAW)
			*(__u32 *)(record + tp_config.dynamic[i].offset) += tp_config.added;
	}
}

/* Returns the number of words written. */
static __always_inline __u32 put_raw(__u64 *at, const void *ctx, struct task_struct *task)
{
	__u32 size = record_size(ctx), added = tp_config.added;
	__u64 entry = trace_entry(task);

	at[0] = (size + added) | entry << 32;
	at[1] = entry >> 32;
	if (size < 8 || size > TP_MAX_RAW || added > TP_MAX_ADDED)
		return 2;
	if (bpf_probe_read_kernel((char *)at + 12 + added, size - 8, ctx + 8))
		return 2;
	if (added)
		shift_dynamic((char *)at + 4 + added);
	return (size + added + 4) / 8;
}

/* While programs run, the pointer to the hit's registers is in place of the record's header (perf_trace_run_bpf_submit). */
static __always_inline __u64 place_of_hit(void *ctx)
{
	struct pt_regs *regs;

	if (!sample_layout__has(PERF_SAMPLE_IP) && !(tally_config.key & TALLY_KEY_IP))
		return 0;
	if (bpf_probe_read_kernel(&regs, sizeof(regs), ctx))
		return 0;
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(regs, ip);
#elif defined(__TARGET_ARCH_arm64)
	return BPF_CORE_READ(regs, pc);
#endif
}

/* Returns its size. */
static __always_inline __u64 make_sample(void *ctx, struct task_struct *task, struct tp_scratch *scratch)
{
	__u32 words = sample_head__words();

	if (sample_layout__has(PERF_SAMPLE_CALLCHAIN))
		words += put_callchain(ctx, scratch->word + words);
	words &= 2 * TP_HEAD_ROOM - 1;
	scratch->raw = words;
	words += put_raw(scratch->word + words, ctx, task);
	sample_head__put(scratch->word, &scratch->head, words * 8);
	return words * 8;
}

#ifdef TP_ARGUMENTS

/* The raw program, which is called next, judges the hit: all else must be done here, where the hit's registers and record are. */
#define is_for_raw_program() (tp_order == TP_RAW_LAST)
#define is_behind_raw_program() (tp_order == TP_RAW_FIRST)

static __always_inline bool begin_pending(void *ctx, struct tp_counts *counts)
{
	struct tp_pending *pending = tp_pending__get();

	if (!pending)
		return false;
	if (NOW(pending->busy)) {
		counts->missed++;
		return false;
	}
	counts->blind += !!NOW(pending->at);
	NOW(pending->at) = 0;
	filter_record__copy(pending->part, &filter_words, ctx);
	pending->record = ctx;
	return true;
}

static __always_inline void end_pending(void *ctx, __u64 size)
{
	struct tp_pending *pending = tp_pending__get();

	if (!pending)
		return;
	pending->size = size;
	NOW(pending->at) = tp_stack_of_hit(ctx);
}

/* Judge the hit that was prepared; false: it is another one. */
static __always_inline bool judge_pending(struct bpf_raw_tracepoint_args *ctx, struct tp_pending *pending)
{
	struct tp_arguments *copy = tp_arguments__get(1);
	struct tp_scratch *scratch;
	struct tp_counts *counts;
	__u32 zero = 0;

	scratch = bpf_map_lookup_elem(&tp_scratch, &zero);
	counts = bpf_map_lookup_elem(&tp_counts, &zero);
	if (!copy || !scratch || !counts)
		return false;
	NOW(copy->at) = (__u64)ctx; /* in memory it is a number, which the verifier lets us subtract */
	if (!tp_is_one_hit(NOW(pending->at), NOW(copy->at)))
		return false;
	tp_arguments__copy(copy, ctx);
	if (!tp__judge(counts, pending->part, pending->record, FILTER_MODE_KERNEL, copy->value))
		return true;
	if (tp_config.counted)
		tp__count(ctx, &scratch->head, TP_COUNT_ADD);
	if (!tp_config.written)
		return true;
	tp_added__put(scratch);
	tp__send_stack(counts, scratch, pending->size);
	return true;
}

SEC("raw_tp/") /* bpftool wants the slash */
int tp_see_arguments(struct bpf_raw_tracepoint_args *ctx)
{
	struct tp_pending *pending = tp_pending__get();

	if (tp_order == TP_RAW_FIRST)
		tp_arguments__note(ctx);
	if (tp_order != TP_RAW_LAST || !pending)
		return 0;
	NOW(pending->busy) = 1;
	judge_pending(ctx, pending);
	NOW(pending->at) = 0; /* also that of a hit in between, for which this program was not called */
	NOW(pending->busy) = 0;
	return 0;
}

/* NULL: judge nothing. Not inlined: unwinding needs the stack that this would take in its caller. */
static __noinline const __u64 *find_arguments(void *ctx, struct tp_counts *counts)
{
	const __u64 *arguments;

	if (tp_order != TP_RAW_FIRST)
		return NULL;
	arguments = tp_judges_early() ? NULL : tp_arguments__of_hit(ctx); /* NULL: the verdict was another hit's */
	counts->blind += !arguments;
	return arguments;
}

#else
#define is_for_raw_program() false
#define is_behind_raw_program() false
#define tp_judges_early() false
#define tp_arguments__verdict(ctx) TP_UNJUDGED
#define begin_pending(ctx, counts) false
#define end_pending(ctx, size) (void)(size)
#endif

static __always_inline bool keeps(void *ctx, struct tp_scratch *scratch, struct tp_counts *counts)
{
	const __u64 *arguments = NULL;

#ifdef TP_ARGUMENTS
	arguments = find_arguments(ctx, counts);
	if (!arguments)
		return false;
#endif
	filter_record__copy(scratch->word, &filter_words, ctx);
	return tp__judge(counts, scratch->word, ctx, FILTER_MODE_KERNEL, arguments);
}

SEC("tracepoint")
int tp_record(void *ctx)
{
	__u64 verdict = TP_UNJUDGED, size = 0;
	struct task_struct *task;
	struct tp_scratch *scratch;
	struct tp_counts *counts;
	__u32 zero = 0;

	if (tp_judges_early() && is_behind_raw_program())
		verdict = tp_arguments__verdict(ctx);
	if (verdict == TP_DROPPED) {
		tp__count_dropped();
		return 1;
	}
	task = bpf_get_current_task_btf();
	counts = tp__enter(task);
	scratch = bpf_map_lookup_elem(&tp_scratch, &zero);
	if (!counts || !scratch)
		return 1;
	if (verdict == TP_KEPT)
		counts->kept++;
	else if (!(is_for_raw_program() ? begin_pending(ctx, counts) : keeps(ctx, scratch, counts)))
		return 1;
	sample_head__fill(&scratch->head, task, place_of_hit(ctx), PERF_RECORD_MISC_KERNEL);
	if (tp_config.counted)
		tp__count(ctx, &scratch->head, is_for_raw_program() ? TP_COUNT_TAKE : TP_COUNT_TAKE | TP_COUNT_ADD);
	if (tp_config.written)
		size = make_sample(ctx, task, scratch);
	if (is_for_raw_program()) {
		end_pending(ctx, size);
	} else if (tp_config.written) {
		tp_added__put(scratch);
		tp__send_stack(counts, scratch, size);
	}
	return 1;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
