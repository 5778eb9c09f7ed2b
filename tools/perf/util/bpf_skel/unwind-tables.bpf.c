// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Has the tables for unwinding, lists the files that need one, and asks for those of programs when they start. Other programs unwind by
 * them: unwind.bpf.h.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "unwind-maps.bpf.h"
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

#ifdef __TARGET_ARCH_arm64
#define REGS_IP(regs) ((regs)->pc)
#else
#define REGS_IP(regs) ((regs)->ip)
#endif

const volatile bool unwind_all_tasks; /* the target is the system */

/* Tasks of the target have perf events, which children inherit. So has who is in another recording: a table too many does no harm. */
static __always_inline bool is_recorded(struct task_struct *task)
{
	/* Before Linux 6.2 that was an array of two, which CO-RE treats as another field. */
	return unwind_all_tasks || !bpf_core_field_exists(task->perf_event_ctxp) || task->perf_event_ctxp;
}

/* Ask for the table of the file that has code at this address, if nobody has before. */
static __always_inline void ask_at(struct mm_struct *mm, __u64 address)
{
	struct maple_search maple;
	struct vma_copy vma;
	struct unwind_key key;
	__u64 root, found;

	if (bpf_core_read(&root, sizeof(root), &mm->mm_mt.ma_root)) /* as a number, which the verifier lets a function take */
		return;
	found = vma_at(&maple, root, address);
	if (!found || !vma_copy(&vma, found, (__u64)mm))
		return;
	if (!(vma.flags & VM_EXEC) || !unwind_key__read(&key, vma.file, vma.start, (__u64)mm->context.vdso) ||
	    bpf_map_lookup_elem(&unwind_files, &key))
		return;
	unwind_ask(&key, vma.start, vma.end);
}

/* The new program is mapped, and so is the dynamic linker, which begins it. They need tables sooner than the first sample tells. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(unwind_exec, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task); /* where it begins */
	struct mm_struct *mm = task->mm;

	if (!mm || !is_recorded(task))
		return 0;
	ask_at(mm, mm->start_code);
	ask_at(mm, REGS_IP(regs));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
