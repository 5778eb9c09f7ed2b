/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Programs on the begin and the end of system calls, and where they read them.
 *
 * Linux 6.19 and newer can preempt programs on raw tracepoints. Then another task's program would find a CPU's memory in use, and the kernel skips
 * programs that are still running on that CPU, for as long as the other task runs. Perf's own events of the same tracepoints disable preemption on
 * all kernels: with BY_EVENT programs are for these events. The scheduler's and most other raw tracepoints are hit while preemption is disabled. That
 * of a writer who waits for a percpu_rw_semaphore is not: perf lock may miss other waits on that CPU while such a program is preempted.
 */
#ifndef PERF_BPF_SYSCALL_HOOK_BPF_H
#define PERF_BPF_SYSCALL_HOOK_BPF_H

#include "tp-values.bpf.h"

#ifdef BY_EVENT

struct raw_enter { /* raw_syscalls:sys_enter */
	__u64 unused;
	long nr;
	unsigned long arg[6];
};

struct raw_exit {
	__u64 unused;
	long nr, ret;
};

/* The program name calls hit(ctx, number of the call). It returns 1, as 0 would hide the hit from other perfs. */
#define SYSCALL_ENTER(name, hit)	\
	SEC("tracepoint")		\
	int name(struct raw_enter *ctx)	\
	{				\
		hit(ctx, ctx->nr);	\
		return 1;		\
	}
/* hit(ctx, number, result) */
#define SYSCALL_EXIT(name, hit)			\
	SEC("tracepoint")			\
	int name(struct raw_exit *ctx)		\
	{					\
		hit(ctx, ctx->nr, ctx->ret);	\
		return 1;			\
	}

static __always_inline const struct pt_regs *syscall_regs(void *ctx)
{
	return (const struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

#else

#define SYSCALL_ENTER(name, hit)				\
	SEC("tp_btf/sys_enter")					\
	int BPF_PROG(name, struct pt_regs *regs, long nr)	\
	{							\
		hit(ctx, nr);					\
		return 0;					\
	}
#define SYSCALL_EXIT(name, hit)					\
	SEC("tp_btf/sys_exit")					\
	int BPF_PROG(name, struct pt_regs *regs, long ret)	\
	{							\
		hit(ctx, syscall_number(regs), ret);		\
		return 0;					\
	}

static __always_inline const struct pt_regs *syscall_regs(void *ctx)
{
	return (const struct pt_regs *)*(const __u64 *)ctx;
}

#endif

#endif
