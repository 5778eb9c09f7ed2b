/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The target of a recording for BPF programs. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_TARGET_H
#define PERF_BPF_TARGET_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define TARGET_MAX_CPUS 8192

struct target_config {
	__u8 all_tasks; /* otherwise only marked ones */
	__u8 some_cpus; /* only those in cpus; otherwise all */
	__u8 no_events; /* perf has opened no events on the tasks, so these do not tell when a task has ended */
	__u8 pad[5];
	__u64 opened_at; /* ns since boot; children that marked tasks have started since are followed, too. UINT64_MAX: none are */
	__u64 cpus[TARGET_MAX_CPUS / 64];
};

struct target_task { /* the mark of a task */
	__u32 waits_for_exec; /* follow it from its next exec on */
	__u32 pad;
};

#endif
