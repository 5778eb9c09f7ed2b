/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The current task's user stack. The makefile builds each program that takes one twice: USER_STACK_TABLES unwinds by tables of
 * .eh_frame (unwind.bpf.h), otherwise the kernel walks along the frame pointers. USER_STACK_REGS(ctx): the registers to begin at, if
 * they are not those of the entry to the kernel. The includer must not be interrupted by itself on one CPU.
 */
#ifndef PERF_BPF_USER_STACK_BPF_H
#define PERF_BPF_USER_STACK_BPF_H

#ifdef USER_STACK_TABLES
#include "unwind.bpf.h"

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
#else
static __always_inline long user_stack(void *ctx, __u64 *frames, __u32 size)
{
	return bpf_get_stack(ctx, frames, size, BPF_F_USER_STACK);
}
#endif

#endif
