/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Where unwinding begins for a sample of a perf event. Include it after a header with context_mode(). */
#ifndef PERF_BPF_UNWIND_REGS_BPF_H
#define PERF_BPF_UNWIND_REGS_BPF_H

/*
 * In the kernel the task's registers in user space are those of its entry. In user space the sample's are meant: a precise one has
 * them from its instruction.
 */
static __always_inline const void *user_regs(struct bpf_perf_event_data *ctx)
{
	const struct bpf_perf_event_data_kern *kctx = (const void *)ctx; /* which it is, as plain memory */

	if (context_mode(ctx) == FILTER_MODE_USER)
		return BPF_CORE_READ(kctx, regs);
	return (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

#endif
