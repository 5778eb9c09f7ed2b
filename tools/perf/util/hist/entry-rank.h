/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_HIST_ENTRY_RANK_H
#define PERF_HIST_ENTRY_RANK_H

#include "util/hist/hist.h"

/* Fill hists->entry, which has room for all entries, in the order of hist_entry__cmp_output(), which must be transitive. 0 or -ENOMEM. */
int hists__sort_by_rank(struct hists *hists);
/* The same where it is not transitive: with callers' entries and chains. */
int hists__sort_callers(struct hists *hists);

#endif
