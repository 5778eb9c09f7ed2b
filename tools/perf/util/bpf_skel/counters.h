/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What counters of CPUs have counted while chosen tasks ran. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_COUNTERS_H
#define PERF_BPF_COUNTERS_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define COUNTERS_MAX_EVENTS 32
#define COUNTERS_MAX_LEVELS 64 /* of cgroups that are searched for one of the list, from the task's own upwards */

struct counters_config {
	__u32 nr_events;
	__u32 nr_cpus;	  /* the counter of event e on CPU c has index e * nr_cpus + c */
	__u8 by_cgroup;	  /* one row for each cgroup of the list; otherwise there is one row */
	__u8 pad[3];
	/* Bits of events that are not of a PMU, and always run: */
	__u32 in_memory;  /* the kernel adds each hit to the event's count, which can be read there */
	__u32 clocks;	  /* they count ns */
	__u32 switches;	  /* they count switches between tasks; neither these nor clocks need a counter of the kernel */
};

struct counters_turns { /* ns */
	__u64 enabled, running;
};

/* What a switch reads and writes for software events is side by side. */
struct counters_row {
	__u64 time; /* ns: these events were enabled and running for so long */
	__u64 count[COUNTERS_MAX_EVENTS];
	struct counters_turns turns[COUNTERS_MAX_EVENTS]; /* of other events */
};

#define COUNTERS_NR_KNOWN 1024 /* a power of two */

#define COUNTERS_NO_ROW (-1)

#endif
