/* SPDX-License-Identifier: GPL-2.0 */
/* How to take callchains: the argument of --call-graph, and of an event's call-graph=. */
#ifndef PERF_EVENT_CALLGRAPH_H
#define PERF_EVENT_CALLGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

#define CALLGRAPH_MAX_STACK_DUMP 65528U /* bytes: attr.sample_stack_user has 16 bits in effect, and is a multiple of 8 */

enum callgraph_mode {
	CALLGRAPH_NONE,
	CALLGRAPH_FP,	 /* the kernel follows frame pointers */
	CALLGRAPH_DWARF, /* the reader unwinds a copy of the user's stack */
	CALLGRAPH_LBR,	 /* user's part from the branch records of the CPU */
	CALLGRAPH_BPF,	 /* a BPF program unwinds the user's stack */
	CALLGRAPH_AUTO,	 /* BPF for the events and on the systems where it works, otherwise FP: source/unwind-choice.h */
};

struct callgraph {
	enum callgraph_mode mode;
	bool defer;	/* FP: take the user part when the task returns to user space */
	u32 stack_dump; /* DWARF: bytes of the user stack to copy, a multiple of 8; otherwise 0 */
};

/* "fp", "fp,defer", "dwarf", "dwarf,SIZE", "lbr", "bpf" or "no". -EINVAL: none of them, err lists all. */
int callgraph__parse(struct callgraph *callgraph, const char *text, struct errmsg *err);

/* The ith of these words without a size; NULL: there are no more. */
const char *callgraph__word(size_t i);

/* Parse the size of a stack dump; -EINVAL: the kernel does not accept this size. */
int callgraph__parse_stack_dump(u32 *size, const char *text, struct errmsg *err);

#endif
