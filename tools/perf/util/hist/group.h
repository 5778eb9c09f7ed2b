/* SPDX-License-Identifier: GPL-2.0 */
/* Several events side by side: the entries of the first one's hists, with the sums of all that have the same keys. */
#ifndef PERF_HIST_GROUP_H
#define PERF_HIST_GROUP_H

#include "util/hist/hist.h"

/*
 * Before hists__sort() of hists[0], which leads then: it gets entries for what only others have. All have the same layout, and live
 * as long as it. sort: which of them decides the order first. 0 or -ENOMEM.
 */
int hists__group(struct hists *const *hists, u32 nr, u32 sort);

/* The entry of the i-th of a group; that of all others is itself. */
static inline const struct hist_entry *hist_entry__member(const struct hist_entry *entry, u32 i)
{
	return entry->member ? entry->member[i] : entry;
}

#endif
