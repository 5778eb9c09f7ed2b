/* SPDX-License-Identifier: GPL-2.0 */
/* How user stacks that BPF has unwound ended, for the summary and for the file's header. */
#ifndef PERF_RECORD_STACK_ENDS_H
#define PERF_RECORD_STACK_ENDS_H

#include <stdio.h>
#include "util/source/source.h"

struct stack_ends {
	u64 ended[UNWIND_NR_ENDS]; /* finally, in BPF or in user space */
	u64 all;		   /* stacks, but for those of tasks in execve or at their end, which have none */
	u64 whole;		   /* of all */
	u64 finished;		   /* of whole: by user space */
};

struct stack_ends stack_ends__sum(const struct unwind_totals *totals);
/* "end ..." or "are ...": why stacks are incomplete; NULL: they are whole, or there is none. */
const char *stack_ends__cause(enum unwind_end end);
/* All of it in one line without a newline. */
void stack_ends__fprintf(FILE *fp, const struct stack_ends *u, const char *event);

#endif
