// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Marks the target's tasks for programs that include target-current.bpf.h, and keeps their samples where nothing else is asked of these.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "target.bpf.h"

/* Returns 0 to drop the sample. */
SEC("perf_event")
int target_sample(void *ctx)
{
	return target_tasks__has(bpf_get_current_task_btf(), true);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
