/* SPDX-License-Identifier: GPL-2.0 */
/* The samples whose functions have no names, and why: so that a report can say what to do next time. */
#ifndef PERF_CMD_REPORT_LOST_NAMES_H
#define PERF_CMD_REPORT_LOST_NAMES_H

#include <stdio.h>
#include "util/hist/hist.h"

enum lost_kind {
	LOST_STRIPPED, /* files have no symbols for them */
	LOST_JIT,      /* a compiler made the code at run time, and wrote no map */
	LOST_FILE,     /* the file is gone */
	LOST_KINDS,
};

struct lost_names { /* starts zeroed */
	u64 period; /* of all samples */
	struct lost {
		u64 period, most; /* most: in one row */
		const struct dso *dso; /* of that row */
		const struct thread *thread;
		bool others; /* other files, too */
	} of[LOST_KINDS];
};

/* Add the rows of an event, which are sorted. */
void lost_names__count(struct lost_names *lost, const struct hists *hists, struct resolver *resolver);
/* Write a line for the reason that hides most samples, if these are many: "# (Tip: ...)". */
void lost_names__fprintf(const struct lost_names *lost, FILE *fp);

#endif
