/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_HIST_ENTRY_CMP_H
#define PERF_HIST_ENTRY_CMP_H

#include "util/hist/hist.h"

/* By the keys of the layout; 0: it is one entry. For tsearch(3): arguments are struct hist_entry. */
int hist_entry__cmp_keys(const void *a, const void *b);

/* By what decides the order of the output; negative: a is shown first. */
int hist_entry__cmp_output(const struct hist_entry *a, const struct hist_entry *b);

#endif
