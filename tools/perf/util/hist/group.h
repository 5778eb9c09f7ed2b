/* SPDX-License-Identifier: GPL-2.0 */
/* Several events side by side: the entries of the first one's hists, with the sums of all that have the same keys. */
#ifndef PERF_HIST_GROUP_H
#define PERF_HIST_GROUP_H

#include "util/hist/hist.h"

/*
 * Make hists[0] the leader of the group: it gets an entry for each set of keys that only other members have. Call it before
 * hists__sort() of hists[0]. All hists have the same layout and one struct hist_shared, and live as long as it. sort: index of the
 * member that is the primary sort key. 0 or -ENOMEM.
 */
int hists__group(struct hists *const *hists, u32 nr, u32 sort);

struct hist_member {
	u32 index; /* index in the group, not 0 */
	struct hist_entry *entry;
};

struct hist_members { /* by index */
	u32 nr, alloc;
	struct hist_member at[];
};

/*
 * Return the entry with the samples of the group's i-th member. 0: entry itself; a member without such samples: its empty entry. For
 * the sums of its chains see hist_entry__member_totals().
 */
const struct hist_entry *hist_entry__member(const struct hist_entry *entry, u32 i);

/* The first member, from index i on, that has such an entry; 0: none. */
u32 hist_entry__next_member(const struct hist_entry *entry, u32 i);

/* The slot for the entry of the i-th member, which is not 0: *place is NULL if there was none. NULL: no memory. */
struct hist_entry **hist_entry__member_place(struct hist_entry *entry, u32 i);

#endif
