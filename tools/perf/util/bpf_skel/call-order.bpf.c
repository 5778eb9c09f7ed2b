// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Which of two programs on a tracepoint runs first: a raw one, or those of perf's events of it. The kernel calls those who are attached in
 * the order in which they came, and all of perf's events, whose ever they are, are one of them.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "tp.h"

#define MAX_FUNCS 256

/* The event: a descriptor of a process. And the raw program. */
const volatile __u32 order_pid, order_fd, order_prog;
__u32 order; /* enum tp_order */

/* Is this who is called the raw program? Since Linux 6.10 a link to it is the data, before that the program. */
static __always_inline bool is_raw_program(void *data)
{
	struct bpf_raw_tp_link *link = data;
	struct bpf_prog *prog = data;

	return BPF_CORE_READ(link, link.prog, aux, id) == order_prog || BPF_CORE_READ(prog, aux, id) == order_prog;
}

SEC("iter/task_file")
int find_order(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct tracepoint_func *funcs, func;
	struct file *file = ctx->file;
	struct trace_event_call *call;
	struct perf_event *event;
	void *of_perf;

	if (!task || !file || task->tgid != order_pid || ctx->fd != order_fd)
		return 0;
	event = file->private_data;
	call = BPF_CORE_READ(event, tp_event);
	of_perf = BPF_CORE_READ(call, class, perf_probe);
	funcs = BPF_CORE_READ(call, tp, funcs);
	for (int i = 0; i < MAX_FUNCS && !order; i++) {
		if (bpf_probe_read_kernel(&func, sizeof(func), funcs + i) || !func.func)
			break;
		if (func.func == of_perf)
			order = TP_RAW_LAST;
		else if (is_raw_program(func.data))
			order = TP_RAW_FIRST;
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
