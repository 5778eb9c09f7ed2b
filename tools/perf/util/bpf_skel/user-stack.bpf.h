/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The current task's user stack. The makefile builds each program that takes one twice: USER_STACK_TABLES unwinds by tables of
 * .eh_frame (unwind.bpf.h), otherwise the kernel walks along the frame pointers. USER_STACK_REGS(ctx): the registers to begin at, if
 * they are not those of the entry to the kernel. USER_STACK_HASHES: user_stack_hash_rest() is wanted. The includer must not be interrupted by itself on one CPU.
 */
#ifndef PERF_BPF_USER_STACK_BPF_H
#define PERF_BPF_USER_STACK_BPF_H

#ifdef USER_STACK_TABLES
#include "unwind-unfinished.bpf.h"

#ifndef USER_STACK_REGS
#define USER_STACK_REGS(ctx) ((const void *)bpf_task_pt_regs(bpf_get_current_task_btf()))
#endif

#define USER_STACK_MAX 127 /* frames; the verifier of Linux 6.12 understands a mask, not a comparison */

/* As bpf_get_stack(): write at most size bytes to frames, of at most USER_STACK_MAX; returns how many are written. */
static __always_inline long user_stack(void *ctx, __u64 *frames, __u32 size)
{
	struct unwind_state *s = unwind_state__get();
	struct unwind_counts *counts;
	__u32 zero = 0, nr;

	counts = bpf_map_lookup_elem(&unwind_counts, &zero);
	if (!s || !counts)
		return -1;
	nr = unwind__take(s, counts, USER_STACK_REGS(ctx), 0, size / sizeof(*frames)) & USER_STACK_MAX;
	return bpf_probe_read_kernel(frames, nr * sizeof(*frames), s->word) ?: nr * sizeof(*frames);
}

/*
 * For the record that has the frames of user_stack(), of size bytes, as a perf_event_header and words: if the stack goes on, send the
 * record to be finished in user space, in its own place. chain: the word with the number of frames, which follow, the user's last.
 */
static __always_inline bool user_stack_send(void *ring, const void *record, __u32 size, __u32 chain)
{
	struct unwind_state *s = unwind_state__get();
	struct unwind_counts *counts;
	__u32 zero = 0;

	counts = bpf_map_lookup_elem(&unwind_counts, &zero);
	return s && counts && unwind_send_unfinished(s, counts, ring, record, size, chain);
}

static __always_inline bool user_stack_is_unfinished(void)
{
	struct unwind_state *s = unwind_state__get();

	return s && unwind_is_unfinished(s->end);
}

#ifdef USER_STACK_HASHES
/*
 * A hash that also tells apart what is behind the last frame of an unfinished stack: by the stack's memory there, most callers are in
 * the window.
 */
static __always_inline __u64 user_stack_hash_rest(__u64 hash)
{
	struct unwind_state *s = unwind_state__get();

	if (!s)
		return hash;
	hash ^= s->window_at ?: bpf_get_prandom_u32();
	for (__u32 i = 0; i < UNWIND_WINDOW_WORDS; i++) {
		hash = (hash ^ s->window[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return hash;
}
#endif
#else
static __always_inline long user_stack(void *ctx, __u64 *frames, __u32 size)
{
	return bpf_get_stack(ctx, frames, size, BPF_F_USER_STACK);
}

static __always_inline bool user_stack_send(void *ring, const void *record, __u32 size, __u32 chain)
{
	return false;
}

static __always_inline bool user_stack_is_unfinished(void)
{
	return false;
}

static __always_inline __u64 user_stack_hash_rest(__u64 hash)
{
	return hash;
}
#endif

#endif
