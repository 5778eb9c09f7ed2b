// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
#include "tp-syscall.bpf.h"

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
	syscall_arguments__read(regs, record.word + 2, tp_config.nr_values);
	return record_syscall(ctx, task, regs, &record, counts);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
