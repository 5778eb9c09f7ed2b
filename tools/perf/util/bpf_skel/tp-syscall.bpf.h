/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Records or counts syscalls:sys_enter_* and sys_exit_* without perf's own event. Like perf, it uses one tracepoint for all syscalls
 * and makes these events of it (kernel/trace/trace_syscalls.c), in the layout of their formats: header, number, and 8 bytes for each
 * value; since Linux 6.19 also what some values point to.
 */
#ifndef PERF_BPF_TP_SYSCALL_BPF_H
#define PERF_BPF_TP_SYSCALL_BPF_H

#include "tp-common.bpf.h"
#include "tp-text.bpf.h"
#include "syscall-hook.bpf.h"

struct syscall_record {
	__u64 word[2 + TP_MAX_ARGS]; /* trace_entry, number, values */
};

static __always_inline __u64 instruction_pointer(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->ip;
#elif defined(__TARGET_ARCH_arm64)
	return regs->pc;
#endif
}

#define RECORD_WORDS (2 + tp_config.nr_values)

/* The raw part of a sample: 4 bytes of size, the record, 4 bytes of padding. */
static __always_inline void put_raw(__u64 *at, const struct syscall_record *record)
{
	__u64 carry = 8 * RECORD_WORDS + 4;

	for (int i = 0; i < 2 + TP_MAX_ARGS; i++) {
		if (i >= RECORD_WORDS)
			break;
		*at++ = carry | record->word[i] << 32;
		carry = record->word[i] >> 32;
	}
	*at = carry;
}

static __always_inline void record_plain(const struct sample_head *head, const struct syscall_record *record,
					 struct tp_counts *counts)
{
	const __u32 size = 8 * (sample_head__words() + RECORD_WORDS + 1);
	__u64 *sample = bpf_ringbuf_reserve(&tp_ring, size, 0);

	if (!sample) {
		counts->lost++;
		return;
	}
	put_raw(sample_head__put(sample, head, size), record);
	bpf_ringbuf_submit(sample, tp__wake_flags(counts));
}

/*
 * The chain has user frames only, as for any event with a user's registers. Returns the number of words written. Not inlined, nor
 * called by what needs much stack: unwinding needs most of the 512 bytes.
 */
static __noinline __u32 put_user_stack(void *ctx, struct tp_scratch *scratch)
{
	__u64 *chain = scratch->word + sample_head__words();
	__u32 nr = 0;
	long size;

	size = user_stack(ctx, chain + 2, TP_MAX_STACK * TP_FRAME_SIZE);
	if (size > 0)
		nr = size / TP_FRAME_SIZE & (TP_HEAD_ROOM - 1);
	chain[0] = nr + 1;
	chain[1] = PERF_CONTEXT_USER;
	return nr + 2;
}

/* Write what the values point to after them: first the offsets, then the data. Returns the size in bytes. */
static __always_inline __u32 put_texts(char *raw, const struct syscall_record *record)
{
	const __u32 values = 4 + 8 * RECORD_WORDS, texts = values + 4 * tp_config.nr_texts;
	__u32 len = 0, n;

	for (int i = 0; i < TP_MAX_TEXTS; i++) {
		if (i >= tp_config.nr_texts)
			break;
		n = tp_text__put(raw + texts + len, &tp_config.text[i], record->word + 2);
		*(__u32 *)(raw + values + 4 * i) = (texts - 4 + tp_config.added + len) | n << 16;
		len += n;
	}
	__builtin_memset(raw + texts + len, 0, 8); /* the padding is at most 7 bytes */
	return texts - values + len;
}

/*
 * Build a record of no fixed size. The scratch has the chain already, of so many words. Returns the size in bytes. Not inlined, and sent
 * by the caller: to finish a stack takes more of the 512 bytes than this leaves.
 */
static __noinline __u32 put_scratched(struct tp_scratch *scratch, const struct sample_head *head, const struct syscall_record *record,
				      __u32 chain)
{
	__u32 words = sample_head__words() + chain, len;
	__u64 *raw, *rest;

	scratch->raw = words & (2 * TP_HEAD_ROOM - 1);
	raw = scratch->word + scratch->raw;
	rest = raw + tp_config.added / 8;
	put_raw(rest, record);
	len = 4 + 8 * RECORD_WORDS;
	if (tp_config.nr_texts)
		len += put_texts((char *)rest, record);
	len = ((len + 7) & ~7U) + tp_config.added;
	if (tp_config.added) { /* header and values take the place of what is before the rest */
		__builtin_memcpy((char *)raw + 4, record->word, TP_HEADER_SIZE);
		tp_added__put(scratch);
	}
	*(__u32 *)raw = len - 4;
	len += 8 * words;
	sample_head__put(scratch->word, head, len);
	return len;
}

static __always_inline void record_syscall(void *ctx, struct task_struct *task, const struct pt_regs *regs,
					   struct syscall_record *record, struct tp_counts *counts)
{
	struct tp_scratch *scratch;
	struct sample_head head;
	__u32 zero = 0, chain;

	record->word[1] = tp_config.syscall;
	if (!tp__judge(counts, record->word, record->word, FILTER_MODE_USER, NULL))
		return;
	record->word[0] = trace_entry(task);
	sample_head__fill(&head, task, instruction_pointer(regs), PERF_RECORD_MISC_USER);
	if (tp_config.counted)
		tp__count(ctx, &head, TP_COUNT_TAKE | TP_COUNT_ADD);
	if (!tp_config.written)
		return;
	if (!sample_layout__has(PERF_SAMPLE_CALLCHAIN) && !tp_config.nr_texts && !tp_config.added) {
		record_plain(&head, record, counts);
		return;
	}
	scratch = bpf_map_lookup_elem(&tp_scratch, &zero);
	if (!scratch)
		return;
	chain = sample_layout__has(PERF_SAMPLE_CALLCHAIN) ? put_user_stack(ctx, scratch) : 0;
	tp__send_stack(counts, scratch, put_scratched(scratch, &head, record, chain));
}

#endif
