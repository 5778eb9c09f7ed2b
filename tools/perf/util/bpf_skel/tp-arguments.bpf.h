/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The arguments of a tracepoint. A program of type tracepoint sees the record of a hit, and a raw one the arguments: both are attached, and
 * the second of them judges the hit. Which one that is, user space finds out (call-order.bpf.c) before it lets them begin.
 *	raw first: it notes the arguments for the other one, or what the filter says of them if that needs nothing of the record
 *	raw last: the other one prepares the sample, and the raw one sends it if the filter keeps it
 *
 * What the first one leaves may be another hit's: an interrupt may hit the tracepoint between the two, kernels since Linux 7.0 may run
 * another task between them, and each may be left out (a BPF program is already running on the CPU). So it is left with its place on the
 * stack, where no other hit can be as long as this one lasts: both programs are called by the same function, so the distance of their
 * frames is small, while an interrupt's registers alone take more than 150 bytes, and its functions some hundreds. It is taken once, and
 * what nobody has taken is replaced by the next hit, and counted.
 */
#ifndef PERF_BPF_TP_ARGUMENTS_BPF_H
#define PERF_BPF_TP_ARGUMENTS_BPF_H

#include "tp-common.bpf.h"

#define TP_FRAMES 512 /* bytes between the frames of both programs' callers */

__u32 tp_order; /* enum tp_order, set by user space when both are attached */

/* Does the first program judge? Not if the filter reads the record, or values of the hit are counted or written: those are read while it is judged. */
#define tp_judges_early() (tp_config.filtered && !tp_config.counted && !tp_config.added && !filter_words.record_len)

struct tp_arguments {
	__u64 at;      /* place on the stack; 0: none are noted */
	__u64 verdict; /* enum tp_verdict */
	__u64 value[FILTER_WALK_ARGUMENTS];
};

/* [0]: noted; [1]: the copy of the program that judges, in which no other hit can write */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct tp_arguments);
} tp_arguments SEC(".maps");

/* A hit that the raw program is to judge; its sample is in the scratch memory. */
struct tp_pending {
	__u64 at;      /* place on the stack; 0: there is none */
	__u64 busy;    /* the raw program reads the sample */
	__u64 size;    /* of the sample */
	const void *record; /* as origin in filter-tp.bpf.h: no other record takes its memory before the next hit */
	__u64 part[FILTER_RECORD_WORDS]; /* that the table reads */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tp_pending);
} tp_pending SEC(".maps");

static __always_inline struct tp_arguments *tp_arguments__get(__u32 i)
{
	return bpf_map_lookup_elem(&tp_arguments, &i);
}

static __always_inline struct tp_pending *tp_pending__get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tp_pending, &zero);
}

/* Other hits on the CPU may read and write these between any two instructions. */
#define NOW(x) (*(volatile __typeof__(x) *)&(x))

#define FOR_EACH_ARGUMENT(i)						\
	_Pragma("unroll")						\
	for (int i = 0; i < FILTER_WALK_ARGUMENTS; i++)			\
		if (tp_config.arguments & 1U << (i))

static __always_inline void tp_arguments__copy(struct tp_arguments *to, struct bpf_raw_tracepoint_args *ctx)
{
	FOR_EACH_ARGUMENT(i) {
		barrier_var(ctx); /* the verifier wants the offset in the load, not added to the pointer before */
		NOW(to->value[i]) = ctx->args[i];
	}
}

/*
 * TP_UNJUDGED: the hit is not of the target. The other program counts: this one may interrupt it, in another hit, and both would add to a
 * number at once.
 */
static __always_inline __u64 judge_early(const struct tp_arguments *noted)
{
	struct tp_counts *counts = tp__enter(target_config.all_tasks ? NULL : bpf_get_current_task_btf());

	if (!counts)
		return TP_UNJUDGED;
	return tp__judge(counts, NULL, NULL, FILTER_MODE_KERNEL, noted->value) ? TP_KEPT : TP_DROPPED;
}

/* No other hit interrupts this with a note of its own: a raw program that runs is not called again on its CPU. */
static __always_inline void tp_arguments__note(struct bpf_raw_tracepoint_args *ctx)
{
	struct tp_arguments *noted = tp_arguments__get(0);

	if (!noted)
		return;
	NOW(noted->at) = 0;
	tp_arguments__copy(noted, ctx);
	if (tp_judges_early()) {
		NOW(noted->verdict) = judge_early(noted);
		if (NOW(noted->verdict) == TP_UNJUDGED)
			return;
	}
	NOW(noted->at) = (__u64)ctx;
}

/* The stack pointer at the hit: while programs run, the pointer to its registers is in place of the record's header. */
static __always_inline __u64 tp_stack_of_hit(void *ctx)
{
	const struct timespec64 *head = bpf_rdonly_cast(ctx, bpf_core_type_id_kernel(struct timespec64));
	const struct pt_regs *regs = bpf_rdonly_cast((const void *)head->tv_sec, bpf_core_type_id_kernel(struct pt_regs));

	return regs->sp; /* 0 if it cannot be read */
}

/* Are these places of one hit? raw: of the raw program's arguments */
static __always_inline bool tp_is_one_hit(__u64 stack, __u64 raw)
{
	return stack && raw && stack - raw + TP_FRAMES <= 2 * TP_FRAMES;
}

/* What the first program says of the hit; TP_UNJUDGED: it has judged another one. */
static __always_inline __u64 tp_arguments__verdict(void *ctx)
{
	struct tp_arguments *noted = tp_arguments__get(0);
	__u64 at, verdict;

	if (!noted)
		return TP_UNJUDGED;
	at = NOW(noted->at);
	verdict = NOW(noted->verdict);
	if (!tp_is_one_hit(tp_stack_of_hit(ctx), at) || NOW(noted->at) != at)
		return TP_UNJUDGED;
	NOW(noted->at) = 0;
	return verdict;
}

/* NULL: the noted ones are another hit's. */
static __always_inline const __u64 *tp_arguments__of_hit(void *ctx)
{
	struct tp_arguments *noted = tp_arguments__get(0), *copy = tp_arguments__get(1);
	__u64 at;

	if (!noted || !copy)
		return NULL;
	at = NOW(noted->at);
	if (!tp_is_one_hit(tp_stack_of_hit(ctx), at))
		return NULL;
	FOR_EACH_ARGUMENT(i)
		copy->value[i] = NOW(noted->value[i]);
	if (NOW(noted->at) != at) /* a hit in an interrupt has written between */
		return NULL;
	NOW(noted->at) = 0;
	return copy->value;
}

#endif
