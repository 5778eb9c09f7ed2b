/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of an event as a table of text: what perf report --stdio prints below its comment lines. */
#ifndef PERF_UI_REPORT_STDIO_H
#define PERF_UI_REPORT_STDIO_H

#include <stdio.h>
#include "ui/report/columns.h"

/* hists must be sorted. 0 or -ENOMEM. */
int hists__fprintf(const struct hists *hists, FILE *fp, const struct hist_stdio_opts *opts);

/* "12K" as in "# Samples: 12K of event ...": the number in units of a thousand, and the unit, a blank for none. */
u64 count_in_units(u64 count, char *unit);

#endif
