// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* Has the tables for unwinding, and lists the files that need one. Other programs unwind by them: unwind.bpf.h. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "unwind-tables.bpf.h"

__u32 unwind_listed_pid; /* 0: all */

/* User space runs this: the files that running processes have mapped, each as often as it is. */
SEC("iter/task_vma")
int unwind_list(struct bpf_iter__task_vma *ctx)
{
	struct vm_area_struct *vma = ctx->vma;
	struct task_struct *task = ctx->task;
	struct unwind_mapping m = { .size = sizeof(m) };

	if (!vma || !task || task->pid != task->tgid || (unwind_listed_pid && task->tgid != unwind_listed_pid) || !(vma->vm_flags & VM_EXEC))
		return 0;
	if (!unwind_key__read(&m.key, (__u64)vma->vm_file, vma->vm_start, (__u64)task->mm->context.vdso))
		return 0;
	m.pid = task->tgid;
	m.start = vma->vm_start;
	m.end = vma->vm_end;
	bpf_seq_write(ctx->meta->seq, &m, sizeof(m));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
