/* SPDX-License-Identifier: GPL-2.0 */
/* Several events side by side: the entries of the first one's hists, with the sums of all that have the same keys. */
#ifndef PERF_HIST_GROUP_H
#define PERF_HIST_GROUP_H

#include "util/hist/hist.h"

/*
 * Before hists__sort() of hists[0], which leads then: it gets entries for what only others have. All have the same layout and one
 * struct hist_shared, and live as long as it. sort: which of them decides the order first. 0 or -ENOMEM.
 */
int hists__group(struct hists *const *hists, u32 nr, u32 sort);

struct hist_member {
	u32 index; /* in the group, not 0 */
	struct hist_entry *entry;
};

struct hist_members { /* by index */
	u32 nr, alloc;
	struct hist_member at[];
};

/*
 * The entry of the i-th of a group with its own samples; that of all others is itself. What their chains add up to is in
 * hist_entry__member_totals().
 */
const struct hist_entry *hist_entry__member(const struct hist_entry *entry, u32 i);

/* The first other member from the i-th one on that has such an entry; 0: none. */
u32 hist_entry__next_member(const struct hist_entry *entry, u32 i);

/* The place for the entry of the i-th of a group, which is not 0: *place is NULL where there was none. NULL: no memory. */
struct hist_entry **hist_entry__member_place(struct hist_entry *entry, u32 i);

#endif
