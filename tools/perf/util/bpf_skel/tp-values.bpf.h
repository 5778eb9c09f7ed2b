/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The values of a syscall in a task's registers. */
#ifndef PERF_BPF_TP_VALUES_BPF_H
#define PERF_BPF_TP_VALUES_BPF_H

/* Is it in a syscall of a 32-bit program, or of int $0x80? Their numbers have other meanings. */
static __always_inline bool is_compat(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return task->thread_info.status & 2; /* TS_COMPAT */
#elif defined(__TARGET_ARCH_arm64)
	return task->thread_info.flags >> 22 & 1; /* TIF_32BIT */
#endif
}

static __always_inline __u32 syscall_number(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	return regs->syscallno;
#endif
}

/* Read the first nr arguments, of TP_MAX_ARGS. nr is a constant for the verifier; later values are not written and must not be read. */
static __always_inline void syscall_arguments__read(const struct pt_regs *regs, __u64 *value, __u32 nr)
{
#define READ_ARGUMENT(i, from)		\
	if (i < nr)			\
		value[i] = regs->from
#if defined(__TARGET_ARCH_x86)
	READ_ARGUMENT(0, di);
	READ_ARGUMENT(1, si);
	READ_ARGUMENT(2, dx);
	READ_ARGUMENT(3, r10);
	READ_ARGUMENT(4, r8);
	READ_ARGUMENT(5, r9);
#elif defined(__TARGET_ARCH_arm64)
	READ_ARGUMENT(0, orig_x0);
	READ_ARGUMENT(1, regs[1]);
	READ_ARGUMENT(2, regs[2]);
	READ_ARGUMENT(3, regs[3]);
	READ_ARGUMENT(4, regs[4]);
	READ_ARGUMENT(5, regs[5]);
#endif
#undef READ_ARGUMENT
}

/* All six of a 32-bit syscall */
static __always_inline void compat_arguments__read(const struct pt_regs *regs, __u64 *value)
{
#if defined(__TARGET_ARCH_x86)
	value[0] = (__u32)regs->bx;
	value[1] = (__u32)regs->cx;
	value[2] = (__u32)regs->dx;
	value[3] = (__u32)regs->si;
	value[4] = (__u32)regs->di;
	value[5] = (__u32)regs->bp;
#elif defined(__TARGET_ARCH_arm64)
	value[0] = (__u32)regs->orig_x0;
	for (int i = 1; i < 6; i++)
		value[i] = (__u32)regs->regs[i];
#endif
}

#endif
