/* SPDX-License-Identifier: GPL-2.0 */
/* How user stacks that BPF has unwound ended, for the summary and for the file's header. */
#ifndef PERF_RECORD_UNWOUND_H
#define PERF_RECORD_UNWOUND_H

#include <stdio.h>
#include "util/source/source.h"

struct unwound {
	u64 ended[UNWIND_NR_ENDS]; /* finally, in BPF or in user space */
	u64 all;		   /* stacks, but for those of tasks in execve or at their end, which have none */
	u64 whole;		   /* of all */
	u64 finished;		   /* of whole: by user space */
};

struct unwound unwound__sum(const struct unwind_totals *totals);
/* "end ..." or "are ...": why stacks are incomplete; NULL: they are whole, or there is none. */
const char *unwound__cause(enum unwind_end end);
/* All of it in one line without a newline. */
void unwound__fprintf(FILE *fp, const struct unwound *u, const char *event);

#endif
