/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Where unwinding begins for a sample of a perf event. */
#ifndef PERF_BPF_UNWIND_REGS_BPF_H
#define PERF_BPF_UNWIND_REGS_BPF_H

/*
 * Those of the task's entry to the kernel, which an interrupt out of user space is, too. A precise sample's own are no help: its
 * address is of an earlier instruction than its stack pointer, if not from before the entry (arch/x86/events/intel/ds.c,
 * setup_pebs_fixed_sample_data()); the kernel begins its walk along frame pointers here, too.
 */
static __always_inline const void *user_regs(struct bpf_perf_event_data *ctx)
{
	return (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

#endif
