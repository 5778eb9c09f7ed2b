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
#include "interp-tables.bpf.h"

__u32 unwind_listed_pid; /* 0: all */

/*
 * Its arguments as the kernel has always passed them, and below all else by helpers: for each type that CO-RE looks for, and each pointer with a
 * type that a program follows by itself, the kernel searches its BTF for 0.3 ms.
 */
struct unwind_list_ctx {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct vm_area_struct *vma;
};

/* The mapping that was listed last, code or not: see unwind_find() of unwind.bpf.h */
__u64 unwind_before_start, unwind_before_end, unwind_before_file;

/* User space runs this: the files that running processes have mapped, each as often as it is. */
SEC("iter/task_vma")
int unwind_list(struct unwind_list_ctx *ctx)
{
	struct vm_area_struct *vma = ctx->vma;
	struct task_struct *task = ctx->task;
	struct unwind_mapping m = { .size = sizeof(m) };
	__u64 file, before;
	__u32 tid;

	if (!vma || !task)
		return 0;
	tid = BPF_CORE_READ(task, pid);
	m.pid = BPF_CORE_READ(task, tgid);
	if (tid != m.pid || (unwind_listed_pid && m.pid != unwind_listed_pid))
		return 0;
	m.start = BPF_CORE_READ(vma, vm_start);
	m.end = BPF_CORE_READ(vma, vm_end);
	file = (__u64)BPF_CORE_READ(vma, vm_file);
	before = unwind_before_end == m.start ? unwind_before_file : 0;
	if (!file && before && m.start != (__u64)BPF_CORE_READ(task, mm, context.vdso)) { /* text that was moved, maybe */
		m.start = unwind_before_start;
		m.end = unwind_before_end;
		file = before;
	} else {
		unwind_before_start = m.start;
		unwind_before_end = m.end;
		unwind_before_file = file;
	}
	if (!(BPF_CORE_READ(vma, vm_flags) & VM_EXEC) ||
	    !unwind_key__read(&m.key, file, m.start, (__u64)BPF_CORE_READ(task, mm, context.vdso)))
		return 0;
	m.uid = BPF_CORE_READ(task, cred, uid.val);
	bpf_seq_write(ctx->meta->seq, &m, sizeof(m));
	return 0;
}

/* Where the instruction pointer is in struct pt_regs, which is ABI: in words */
#ifdef __TARGET_ARCH_arm64
#define REGS_IP 32
#else
#define REGS_IP 16
#endif

const volatile bool unwind_all_tasks; /* the target is the system */

/* Tasks of the target have perf events, which children inherit. So has who is in another recording: a table too many does no harm. */
static __always_inline bool is_recorded(struct task_struct *task)
{
	/* Before Linux 6.2 that was an array of two, which CO-RE treats as another field. */
	return unwind_all_tasks || !bpf_core_field_exists(task->perf_event_ctxp) || BPF_CORE_READ(task, perf_event_ctxp);
}

/* Ask for the table of the file that has code at this address, if nobody has before. mm: struct mm_struct *. Returns 0. */
__noinline int unwind_ask_at(__u64 mm_at, __u64 address)
{
	const struct mm_struct *mm = (const struct mm_struct *)mm_at;
	struct maple_search maple;
	struct vma_copy vma;
	struct unwind_key key;
	__u64 found = vma_at(&maple, (__u64)BPF_CORE_READ(mm, mm_mt.ma_root), address);

	if (!found || !vma_copy(&vma, found, mm_at))
		return 0;
	if (!(vma.flags & VM_EXEC) || !unwind_key__read(&key, vma.file, vma.start, (__u64)BPF_CORE_READ(mm, context.vdso)) ||
	    bpf_map_lookup_elem(&unwind_files, &key))
		return 0;
	unwind_ask(&key, vma.start, vma.end);
	return 0;
}

/* The new program is mapped, and so is the dynamic linker, which begins it. They need tables sooner than the first sample tells. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(unwind_exec, struct task_struct *task)
{
	const struct mm_struct *mm = BPF_CORE_READ(task, mm);
	__u64 begin = 0; /* where it begins */

	if (!mm || !is_recorded(task))
		return 0;
	bpf_probe_read_kernel(&begin, sizeof(begin), (const __u64 *)bpf_task_pt_regs(task) + REGS_IP);
	unwind_ask_at((__u64)mm, BPF_CORE_READ(mm, start_code));
	unwind_ask_at((__u64)mm, begin);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
