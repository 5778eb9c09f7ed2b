// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Marks the target's tasks for programs that include target-current.bpf.h, and keeps their samples where nothing else is asked of these.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "clock-timer.bpf.h"
#include "target.bpf.h"

__u64 target_late_ns; /* whole periods that clocks left out, as their timers were late; of all events */

static __always_inline void note_late(void *ctx)
{
	struct clock_timer timer;
	__u64 late;

	clock_timer__read(&timer, ctx);
	late = timer.due ? clock_timer__late(&timer) : 0;
	if (late)
		__sync_fetch_and_add(&target_late_ns, late * clock_timer__period(&timer));
}

/* Returns 0 to drop the sample. */
SEC("perf_event")
int target_sample(void *ctx)
{
	if (!target_tasks__has(bpf_get_current_task_btf(), true))
		return 0;
	note_late(ctx);
	return 1;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
