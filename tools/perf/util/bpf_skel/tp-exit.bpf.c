// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
#include "tp-syscall.bpf.h"

static __always_inline __u32 syscall_number(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	return regs->syscallno;
#endif
}

SEC("tp_btf/sys_exit")
int BPF_PROG(tp_record, struct pt_regs *regs, long ret)
{
	struct syscall_record record;
	struct task_struct *task;
	struct tp_counts *counts;

	if (syscall_number(regs) != tp_config.syscall)
		return 0;
	task = bpf_get_current_task_btf();
	counts = tp__enter(task);
	if (!counts || is_compat(task))
		return 0;
	set_value(&record, 0, ret);
	return record_syscall(ctx, task, regs, &record, counts);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
