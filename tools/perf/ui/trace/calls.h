/* SPDX-License-Identifier: GPL-2.0 */
/* System calls in lines, in the layout of other perfs: scripts read them. */
#ifndef PERF_UI_TRACE_CALLS_H
#define PERF_UI_TRACE_CALLS_H

#include <stdbool.h>
#include <stdio.h>
#include "ui/trace/values.h"
#include "util/source/syscall-formats.h"

struct trace_lines {
	FILE *fp;
	const struct syscall_formats *formats;
	struct trace_style style;
	bool full_time; /* times of CLOCK_MONOTONIC, not since the first call */
	u64 first;	/* begin of the first call; 0: none was printed */
};

void trace_lines__print(struct trace_lines *lines, const struct trace_call *call);
/* "ENOENT", or its number; buf holds the number. */
const char *trace_error__name(int error, char *buf, size_t size);

#endif
