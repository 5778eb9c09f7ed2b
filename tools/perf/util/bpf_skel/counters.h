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
	__u32 at_switch;  /* bits of events that count switches: the kernel does so right after the tracepoint, for the task that leaves */
};

struct counters_value { /* as struct bpf_perf_event_value, since the counters were opened or in a row */
	__u64 count;
	__u64 enabled, running; /* ns */
};

struct counters_row {
	struct counters_value value[COUNTERS_MAX_EVENTS];
};

#define COUNTERS_NO_ROW (-1)

#endif
