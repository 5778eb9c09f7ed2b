/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions that a definition means, by debug information. */
#ifndef PERF_PROBE_POINT_H
#define PERF_PROBE_POINT_H

#include <stdio.h>
#include "util/probe/debug.h"
#include "util/probe/definition.h"

struct probe_point {
	u64 vaddr;
	char *function;	 /* that of the definition, otherwise the innermost one there; NULL: unknown */
	u64 entry;	 /* of the function that was compiled, which may be another one */
	char *outer;	 /* its name; NULL: unknown */
	Dwarf_Off scope; /* the DIE of the function that the definition means; 0: the innermost one there */
	bool at_entry;	 /* it is the first instruction of a function that was compiled */
	bool skipped;	 /* the instructions that set up the frame were skipped */
};

struct probe_points {
	struct probe_point *point;
	unsigned int nr;
};

struct probe_point_opts {
	unsigned int max;   /* more are an error */
	bool no_inlines;
	const char *source; /* NULL, or the directory with the sources that patterns look for */
};

/* -ENOENT: there is none; -E2BIG: more than max; -ENOMEM. Exit points in any case. */
int probe_points__find(struct probe_points *points, struct probe_debug *debug, const struct probe_definition *def,
		       const struct probe_point_opts *opts, struct errmsg *err);
void probe_points__exit(struct probe_points *points);
/* Move it behind the instructions that set up the frame, as variables need that. false: it needs not be moved. */
bool probe_point__skip_frame(struct probe_point *point, struct probe_debug *debug);

/* The path of a source file as a compiler wrote it, in another directory; malloc'ed, NULL: no memory */
char *probe_source__path(const char *written, const char *directory);
/* Opens it for reading. NULL: errno says why; it is no regular file, or larger than any source. */
FILE *probe_source__open(const char *path);

#endif
