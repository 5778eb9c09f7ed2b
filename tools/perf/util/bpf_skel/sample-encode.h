/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What a BPF program needs to know to write samples. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_SAMPLE_ENCODE_DATA_H
#define PERF_BPF_SAMPLE_ENCODE_DATA_H

#ifndef __bpf__
#include <linux/types.h>
#include <stdbool.h>
#endif

/* PERF_SAMPLE_* bits that sample-encode.bpf.h can write: IDENTIFIER, IP, TID, TIME, ID, CPU, PERIOD, CALLCHAIN, RAW */
#define SAMPLE_ENCODE_TYPES (1U << 16 | 1U << 0 | 1U << 1 | 1U << 2 | 1U << 6 | 1U << 7 | 1U << 8 | 1U << 5 | 1U << 10)

#define SAMPLE_MISC_KERNEL 1 /* PERF_RECORD_MISC_* */
#define SAMPLE_MISC_USER 2
#define SAMPLE_MISC_GUEST_KERNEL 4
#define SAMPLE_MISC_GUEST_USER 5
#define SAMPLE_MISC_EXACT_IP (1U << 14)

#define SAMPLE_REGS_EXACT 8 /* in the flags of x86: PERF_EFLAGS_EXACT of arch/x86/include/asm/perf_event.h */

/*
 * A sample's misc, of what perf_misc_flags() knows only this: its address, and of its registers the address, the flags, and whether they are of
 * the kernel. When the processor was in a guest, the registers are those of the host's kernel, but the address is the guest's.
 */
static inline __attribute__((always_inline)) __u16 sample_misc(__u64 address, __u64 regs_address, __u64 flags, bool is_kernel)
{
	const __u16 exact = flags & SAMPLE_REGS_EXACT ? SAMPLE_MISC_EXACT_IP : 0;

	if (is_kernel && address && address != regs_address)
		return exact | ((__s64)address < 0 ? SAMPLE_MISC_GUEST_KERNEL : SAMPLE_MISC_GUEST_USER);
	return exact | (is_kernel ? SAMPLE_MISC_KERNEL : SAMPLE_MISC_USER);
}

static inline __attribute__((always_inline)) bool sample_misc__is_guest(__u16 misc)
{
	return misc & SAMPLE_MISC_GUEST_KERNEL; /* a bit that host modes lack */
}

struct sample_layout {
	__u64 sample_type; /* that of the attr: the contents of samples */
	__u64 id; /* if all samples have the same; programs on perf events read it from the event */
};

#endif
