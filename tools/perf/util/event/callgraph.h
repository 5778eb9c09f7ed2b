/* SPDX-License-Identifier: GPL-2.0 */
/* How callchains are taken: what stands behind --call-graph, and behind call-graph= of an event. */
#ifndef PERF_EVENT_CALLGRAPH_H
#define PERF_EVENT_CALLGRAPH_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

#define CALLGRAPH_MAX_STACK_DUMP 65528U /* bytes: attr.sample_stack_user has 16 bits in effect, and is a multiple of 8 */

enum callgraph_mode {
	CALLGRAPH_NONE,
	CALLGRAPH_FP,	 /* the kernel follows frame pointers */
	CALLGRAPH_DWARF, /* the reader unwinds a copy of the user's stack */
	CALLGRAPH_LBR,	 /* user's part from the branch records of the CPU */
};

struct callgraph {
	enum callgraph_mode mode;
	bool defer;	/* of FP: the user's part comes when the task goes back to user space */
	u32 stack_dump; /* of DWARF: bytes of the user stack to copy, a multiple of 8; else 0 */
};

/* "fp", "fp,defer", "dwarf", "dwarf,SIZE", "lbr" or "no". -EINVAL: none of them, err tells those that are. */
int callgraph__parse(struct callgraph *callgraph, const char *text, struct errmsg *err);

/* A size of a stack's copy; -EINVAL: the kernel takes none of this size. */
int callgraph__parse_stack_dump(u32 *size, const char *text, struct errmsg *err);

#endif
