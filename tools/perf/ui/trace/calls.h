/* SPDX-License-Identifier: GPL-2.0 */
/* System calls in lines, in the layout of other perfs: scripts read them. */
#ifndef PERF_UI_TRACE_CALLS_H
#define PERF_UI_TRACE_CALLS_H

#include <stdbool.h>
#include "ui/trace/values.h"
#include "util/event/tracepoint.h"
#include "util/source/syscall-formats.h"

struct trace_event {
	u64 time;
	u32 tid, cpu;
	const char *comm, *name;
	struct tp_formats *formats;
	const void *raw; /* its record; NULL: it has none */
	u32 raw_size;
};

struct trace_lines {
	const struct syscall_formats *formats;
	struct trace_style style;
	bool calls; /* there are calls beside other events, which then have the column of durations, too */
	bool full_time; /* times of CLOCK_MONOTONIC, not since the first call */
	u64 first;	/* begin of the first call; 0: none was printed */
};

/* The begin of a page fault's line: when, and in which task */
void trace_lines__add_fault(const struct trace_lines *lines, struct text *line, u64 time, const char *comm, u32 tid, u32 cpu);
/* Another event, named "sys:name", with its fields. */
void trace_lines__add_event(const struct trace_lines *lines, struct text *line, const struct trace_event *event);
void trace_lines__add(struct trace_lines *lines, struct text *line, const struct trace_call *call);
/* "ENOENT", or its number; buf holds the number. */
const char *trace_error__name(int error, char *buf, size_t size);

#endif
