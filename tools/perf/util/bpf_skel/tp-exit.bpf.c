// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
#include "tp-syscall.bpf.h"

static __always_inline void hit(void *ctx, __u32 nr, long ret)
{
	struct syscall_record record;
	struct task_struct *task;
	struct tp_counts *counts;

	if (nr != tp_config.syscall)
		return;
	task = bpf_get_current_task_btf();
	counts = tp__enter(task);
	if (!counts || is_compat(task))
		return;
	record.word[2] = ret;
	record_syscall(ctx, task, syscall_regs(ctx), &record, counts);
}

SYSCALL_EXIT(tp_record, hit)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
