/* SPDX-License-Identifier: GPL-2.0 */
/* A histogram as a table of text: what perf report --stdio prints below its comment lines. */
#ifndef PERF_UI_REPORT_STDIO_H
#define PERF_UI_REPORT_STDIO_H

#include <stdbool.h>
#include <stdio.h>
#include "util/hist/hist.h"

struct hist_stdio_opts {
	double min_percent;	/* entries below are not printed */
	bool no_header;		/* rows only */
	const char *separator;	/* between columns, in the place of blanks; NULL: none */
	bool skip_first_frame;	/* of callchains: it is the entry's symbol again */
	bool hierarchy;		/* a tree whose levels are the keys */
};

/* hists must be sorted. 0 or -ENOMEM. */
int hists__fprintf(const struct hists *hists, FILE *fp, const struct hist_stdio_opts *opts);

/* "12K" as in "# Samples: 12K of event ...": the number in units of a thousand, and the unit, a blank for none. */
u64 count_in_units(u64 count, char *unit);

#endif
