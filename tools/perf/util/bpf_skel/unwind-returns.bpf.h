/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * What probes do to stacks: return addresses behind return probes, and instructions that run elsewhere. While a function with one runs, its return address is that of the kernel's trampoline. The true
 * one is in a list of the task, the latest call first: struct return_instance, kernel/events/uprobes.c. An entry is known by the stack
 * pointer at the function's first instruction: functions that longjmp(3) has left stay in the list for a while.
 */
#ifndef PERF_BPF_UNWIND_RETURNS_BPF_H
#define PERF_BPF_UNWIND_RETURNS_BPF_H

#define UNWIND_MAX_RETURNS 64 /* MAX_URETPROBE_DEPTH */
#ifdef __TARGET_ARCH_arm64
#define UNWIND_RETURN_WORD 0 /* bytes that a call puts on the stack */
#define UNWIND_RETURNS_IN_STACK 0 /* at the stack pointers in the list: functions of arm64 store the address where they like */
#else
#define UNWIND_RETURN_WORD 8
#define UNWIND_RETURNS_IN_STACK UNWIND_MAX_RETURNS
#endif

struct unwind_returns {
	__u64 trampoline; /* 0: the process has none */
	__u64 first;	  /* the list: struct return_instance * */
	__u64 next;	  /* the entry that is read next */
	__u64 stack;	  /* of the entry that was read last, */
	__u64 address;	  /* and its return address */
	__u64 copy, of;	  /* where the instruction that a probe has replaced runs, and its own address; 0: none ever did */
};

#define UNWIND_KNOWS_RETURNS bpf_core_field_exists(((struct task_struct *)0)->utask) /* with CONFIG_UPROBES */

#define unwind_returns_read(r, member, field) bpf_core_read(&(r)->member, sizeof((r)->member), field) /* there is no room on the stack */

static __always_inline void unwind_returns__begin(struct unwind_returns *r, struct task_struct *task, struct mm_struct *mm)
{
	const struct uprobe_task *utask;
	const struct xol_area *area;

	r->trampoline = r->first = r->next = r->copy = 0;
	if (!UNWIND_KNOWS_RETURNS)
		return;
	unwind_returns_read(r, next, &task->utask);
	utask = (const void *)r->next;
	if (!utask)
		return;
	unwind_returns_read(r, copy, &utask->xol_vaddr);
	unwind_returns_read(r, of, &utask->vaddr);
	unwind_returns_read(r, first, &utask->return_instances);
	r->next = r->first;
	unwind_returns_read(r, trampoline, &mm->uprobes_state.xol_area);
	area = (const void *)r->trampoline;
	if (area)
		unwind_returns_read(r, trampoline, &area->vaddr);
}

#define UNWIND_MAX_COPY 16 /* MAX_UINSN_BYTES: an instruction, and on x86 what another one needs to get back */

/* The address of that instruction, if ip is in its copy */
static __always_inline __u64 unwind_returns__original(const struct unwind_returns *r, __u64 ip)
{
	return r->copy && ip - r->copy < UNWIND_MAX_COPY ? r->of + (ip - r->copy) : ip;
}

static __always_inline void unwind_returns__read(struct unwind_returns *r)
{
	const struct return_instance *at = (const void *)r->next;

	if (!UNWIND_KNOWS_RETURNS)
		return;
	unwind_returns_read(r, stack, &at->stack);
	unwind_returns_read(r, address, &at->orig_ret_vaddr);
	unwind_returns_read(r, next, &at->next);
}

#endif
