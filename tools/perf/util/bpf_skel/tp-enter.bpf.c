// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
#include "tp-syscall.bpf.h"

static __always_inline void hit(void *ctx, __u32 nr)
{
	const struct pt_regs *regs;
	struct task_struct *task;
	struct syscall_record record;
	struct tp_counts *counts;

	if (nr != tp_config.syscall)
		return;
	task = bpf_get_current_task_btf();
	counts = tp__enter(task);
	if (!counts || is_compat(task))
		return;
	regs = syscall_regs(ctx);
	syscall_arguments__read(regs, record.word + 2, tp_config.nr_values);
	record_syscall(ctx, task, regs, &record, counts);
}

SYSCALL_ENTER(tp_record, hit)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
