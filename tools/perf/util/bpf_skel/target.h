/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The target of a recording, as BPF programs know it. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_TARGET_H
#define PERF_BPF_TARGET_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define TARGET_MAX_CPUS 8192

struct target_config {
	__u8 all_tasks; /* else those that are marked */
	__u8 some_cpus; /* cpus has those that count; else all do */
	__u8 pad[6];
	__u64 opened_at; /* ns since boot; what tasks to be marked have started since is followed, too. UINT64_MAX: nothing is */
	__u64 cpus[TARGET_MAX_CPUS / 64];
};

struct target_task { /* how a task is marked */
	__u32 waits_for_exec; /* it is followed from its next exec on */
	__u32 pad;
};

#endif
