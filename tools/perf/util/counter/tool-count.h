/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts that perf makes itself: time that passes, and CPU time as the kernel tells it in /proc/stat and /proc/PID/stat (proc(5)). Those are in
 * clock ticks, mostly 10 ms; a command that has ended has its time in us, as wait4(2) tells it.
 */
#ifndef PERF_COUNTER_TOOL_COUNT_H
#define PERF_COUNTER_TOOL_COUNT_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "util/event/evsel.h"
#include "util/lib/types.h"

struct tool_place {
	int cpu;		/* with tid < 0: this CPU */
	pid_t tid;
	bool whole_process;	/* tid is a process: all its threads, and the children that it has waited for */
	const struct rusage *usage; /* NULL: it runs; otherwise what it has used, after its end */
};

struct tool_count { /* starts zeroed */
	bool open;
	u64 begin;	/* reading at the time when it was switched on */
	u64 sum;	/* ns that were counted until it was switched off */
};

/* Does the event have a count at this place, which is the first one of all or not? */
bool tool_count__has(enum evsel_tool tool, const struct tool_place *place, bool is_first);
/* ns since some point in the past; a task that cannot be read has 0. */
u64 tool_count__now(enum evsel_tool tool, const struct tool_place *place);

#endif
