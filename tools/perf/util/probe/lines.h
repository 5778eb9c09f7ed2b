/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of a source file on which probes can be. */
#ifndef PERF_PROBE_LINES_H
#define PERF_PROBE_LINES_H

#include "util/probe/debug.h"
#include "util/probe/definition.h"

struct probe_lines {
	char *file;	/* as the compiler wrote it */
	u64 first;	/* line of the function; 0: a whole file */
	u64 *line;	/* sorted, each once; of the file */
	size_t nr;
};

/* -ENOENT: no such function or file; -ENOMEM. Exit in any case. */
int probe_lines__find(struct probe_lines *lines, struct probe_debug *debug, const struct probe_line_range *range, struct errmsg *err);
void probe_lines__exit(struct probe_lines *lines);
bool probe_lines__has(const struct probe_lines *lines, u64 line);

#endif
