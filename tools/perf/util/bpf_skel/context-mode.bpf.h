/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Was the CPU in user space at the sample of a perf event? */
#ifndef PERF_BPF_CONTEXT_MODE_BPF_H
#define PERF_BPF_CONTEXT_MODE_BPF_H

/*
 * A sample's cpumode, derived from the same registers as in perf_misc_flags(). (A sample of a guest, which perf marks GUEST_USER or
 * GUEST_KERNEL, has the host's registers and counts as kernel.)
 */
static __always_inline __u64 context_mode(struct bpf_perf_event_data *ctx)
{
	barrier_var(ctx); /* the verifier accepts only ctx itself as base; clang would hoist ctx + offset */
#if defined(__TARGET_ARCH_x86)
	return ctx->regs.cs & 3 ? FILTER_MODE_USER : FILTER_MODE_KERNEL;
#elif defined(__TARGET_ARCH_arm64)
	return ctx->regs.pstate & 0xf ? FILTER_MODE_KERNEL : FILTER_MODE_USER; /* EL0 is 0 */
#endif
}

static __always_inline __u64 context_ip(struct bpf_perf_event_data *ctx)
{
	barrier_var(ctx); /* as in context_mode() */
#if defined(__TARGET_ARCH_x86)
	return ctx->regs.regs[16];
#elif defined(__TARGET_ARCH_arm64)
	return ctx->regs.pc;
#endif
}

#endif
