/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_HIST_ENTRY_CMP_H
#define PERF_HIST_ENTRY_CMP_H

#include "util/hist/hist.h"

/*
 * For tsearch(3): the arguments are struct hist_entry of one struct hists.
 *
 * By the keys of the layout; 0: it is one entry.
 */
int hist_entry__cmp_keys(const void *a, const void *b);

/* By what decides the order of the output; negative: a is shown first. Never 0 for two entries, but not transitive. */
int hist_entry__cmp_output(const void *a, const void *b);

#endif
