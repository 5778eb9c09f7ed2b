// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
#include "tp-syscall.bpf.h"

static __always_inline void read_arguments(const struct pt_regs *regs, struct syscall_record *record)
{
#if defined(__TARGET_ARCH_x86)
	set_value(record, 0, regs->di);
	set_value(record, 1, regs->si);
	set_value(record, 2, regs->dx);
	set_value(record, 3, regs->r10);
	set_value(record, 4, regs->r8);
	set_value(record, 5, regs->r9);
#elif defined(__TARGET_ARCH_arm64)
	set_value(record, 0, regs->orig_x0);
	for (int i = 1; i < TP_MAX_ARGS; i++)
		set_value(record, i, regs->regs[i]);
#endif
}

SEC("tp_btf/sys_enter")
int BPF_PROG(tp_record, struct pt_regs *regs, long id)
{
	struct task_struct *task;
	struct syscall_record record;
	struct tp_counts *counts;

	if ((__u32)id != tp_config.syscall)
		return 0;
	task = bpf_get_current_task_btf();
	counts = tp__enter(task);
	if (!counts || is_compat(task))
		return 0;
	read_arguments(regs, &record);
	return record_syscall(ctx, task, regs, &record, counts);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
