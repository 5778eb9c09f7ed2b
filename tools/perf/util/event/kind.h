/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What makes one kind of event different from others: what its samples hold, and what their periods are. Most kinds are no events of
 * the kernel: perf makes or counts their samples, by the row of sources[] (source/sources.c) that has the kind. The kernel's clocks
 * are kinds for readers only.
 */
#ifndef PERF_EVENT_KIND_H
#define PERF_EVENT_KIND_H

#include <stdbool.h>
#include "util/lib/types.h"

struct event_kind {
	const char *name;	/* of its events; NULL: each has its own */
	const char *word;	/* another name for -e; NULL: none */
	const char *unit;	/* of periods: "nanoseconds"; NULL: they count */
	const char *value;	/* what receivers of profiles call the values; NULL: they are named after the event */
	u64 sample_type;	/* the contents of its samples, callchain included, that options do not change; 0: options choose */
	bool has_spans;		/* a sample stands for a span of time that ends with it, or for a sum of them: there are fewer samples than spans */
};

extern const struct event_kind cpu_clock_kind, task_clock_kind; /* of the kernel */
extern const struct event_kind off_cpu_kind, wall_kind;		/* time that tasks do not run; all their time */
extern const struct event_kind contention_kind;			/* waits for locks */
extern const struct event_kind trace_kind;			/* system calls from begin to end */
extern const struct event_kind kwork_kind;			/* what CPUs do */
extern const struct event_kind sched_kind;			/* how long tasks wait for CPUs */
extern const struct event_kind calls_kind;			/* calls of the kernel's function that is the event's name */

/* By a word of -e; NULL: not such an event. */
const struct event_kind *event_kind__of_word(const char *word);
/* By the name that an event has in a recording, with or without modifiers; NULL: none of these. */
const struct event_kind *event_kind__of_name(const char *name);

#endif
