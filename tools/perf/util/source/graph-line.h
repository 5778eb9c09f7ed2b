/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of trace_pipe while the function_graph tracer runs, with the columns that graph_tracer__open() chooses. */
#ifndef PERF_SOURCE_GRAPH_LINE_H
#define PERF_SOURCE_GRAPH_LINE_H

#include "util/lib/types.h"

enum graph_line {
	GRAPH_LINE_OTHER, /* calls that have not returned, headers, comments of other events, records that were lost */
	GRAPH_LINE_TIME,  /* *value: ns from a call to its return */
	GRAPH_LINE_EXEC,  /* *value: the process that executes a program */
};

/* The line ends with NUL, without a newline. */
enum graph_line graph_line__parse(const char *line, u64 *value);

#endif
