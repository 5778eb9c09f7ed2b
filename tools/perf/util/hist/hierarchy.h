/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries as a tree: entries that share the keys of a level are children of one node, which has their sums. The levels are the keys
 * of the layout in the order of -s; entries are the leaves.
 */
#ifndef PERF_HIST_HIERARCHY_H
#define PERF_HIST_HIERARCHY_H

#include "util/hist/hist.h"

struct hist_node {
	/*
	 * The hists' own entry for a leaf and for a node with a single child; otherwise a copy of the first one with the sums of
	 * all, without callchains.
	 */
	struct hist_entry *entry;
	struct hist_node *child;  /* in the order of the output */
	u32 nr;
	bool leaf, is_sum; /* is_sum: the node owns entry */
	u8 level;
};

/* The columns of the layout that a level shows, from left to right. */
struct hist_level {
	u32 nr;
	const struct hist_column *column[HIST_MAX_COLUMNS];
};

/* Fill level with the levels that have columns. Returns their number, at most HIST_MAX_COLUMNS. */
u32 hist_layout__levels(const struct hist_layout *layout, struct hist_level level[HIST_MAX_COLUMNS]);

/* Build the tree of sorted hists, which must outlive it; root is no entry. 0 or -ENOMEM; free root after an error, too. */
int hist_node__init(struct hist_node *root, const struct hists *hists);
void hist_node__exit(struct hist_node *root);

#endif
