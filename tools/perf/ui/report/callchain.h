/* SPDX-License-Identifier: GPL-2.0 */
/* The callchains of a row of a report as a tree of text. */
#ifndef PERF_UI_REPORT_CALLCHAIN_H
#define PERF_UI_REPORT_CALLCHAIN_H

#include <stdbool.h>
#include <stdio.h>
#include "util/hist/hist.h"

/*
 * Prints nothing if the hists have no chains. 0 or -ENOMEM. skip_first: skip the first of the frames that all chains share, because
 * it is the entry's own symbol.
 */
int hist_entry__fprintf_chains(const struct hist_entry *entry, FILE *fp, bool skip_first);

#endif
