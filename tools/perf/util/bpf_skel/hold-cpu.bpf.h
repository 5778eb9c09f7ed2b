/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Linux 6.19 and newer can preempt programs on tracepoints. Then another task's program could use what belongs to this CPU, and the kernel
 * skips a program that is still running there. So the first thing that a program does is to hold its CPU, and the last one to release it.
 * wanted: a constant of the configuration, see tp_programs__may_be_preempted(). Include vmlinux.h and libbpf's headers first.
 */
#ifndef PERF_BPF_HOLD_CPU_BPF_H
#define PERF_BPF_HOLD_CPU_BPF_H

extern void bpf_preempt_disable(void) __ksym __weak; /* 6.10 */
extern void bpf_preempt_enable(void) __ksym __weak;

static __always_inline void hold_cpu(bool wanted)
{
	if (wanted)
		bpf_preempt_disable();
}

static __always_inline void release_cpu(bool wanted)
{
	if (wanted)
		bpf_preempt_enable();
}

#endif
