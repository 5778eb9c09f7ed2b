/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries as a tree: those that share the keys of a level stand under one node, which has their sums. The levels are the keys of the
 * layout in the order of -s; entries are the leaves.
 */
#ifndef PERF_HIST_HIERARCHY_H
#define PERF_HIST_HIERARCHY_H

#include "util/hist/hist.h"

struct hist_node {
	/* Of a leaf, and above one that is alone: the hists'. Else the first one's copy with sums of its own, no callchains. */
	struct hist_entry *entry;
	struct hist_node *child;  /* in the order of the output */
	u32 nr;
	bool leaf, is_sum; /* is_sum: entry is the node's own */
	u8 level;
};

/* What is shown of a level: columns of the layout, from left to right. */
struct hist_level {
	u32 nr;
	const struct hist_column *column[HIST_MAX_COLUMNS];
};

/* Fill level with all that have columns. Returns how many, at most HIST_MAX_COLUMNS. */
u32 hist_layout__levels(const struct hist_layout *layout, struct hist_level level[HIST_MAX_COLUMNS]);

/* Make the tree of sorted hists, which must outlive it; root is no entry. 0 or -ENOMEM, and root is to be freed then, too. */
int hist_node__init(struct hist_node *root, const struct hists *hists);
void hist_node__exit(struct hist_node *root);

#endif
