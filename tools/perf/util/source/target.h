/* SPDX-License-Identifier: GPL-2.0 */
/* The target of a recording, for opening events and for BPF programs that follow tasks by themselves. */
#ifndef PERF_SOURCE_TARGET_H
#define PERF_SOURCE_TARGET_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/lib/cpumap.h"
#include "util/lib/types.h"

struct sampler_target {
	bool system_wide;	   /* all tasks on cpus */
	const struct cpumap *cpus; /* -C; NULL: all online */
	const pid_t *tids;	   /* threads to follow when not system_wide */
	int nr_tids;
	bool inherit;		   /* their children too */
	bool waits;		   /* for its exec: the threads start no tasks before events are enabled */
	bool no_events;		   /* perf opens no events on the threads, only on CPUs */
	u64 opened_at;		   /* set by sampler__open(): when it began, in ns since boot; 0: unknown */
};

#endif
