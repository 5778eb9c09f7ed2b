/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees of callchains of which only the branches from a limit on are built. Chains are first summed up by the nodes of the paths that
 * they share; branches are then followed from the top while their sum reaches the limit. What is below it counts for the node above.
 * For sums of whole branches (HIST_CHAIN_GRAPH) such a tree shows the same as one with all branches.
 */
#ifndef PERF_HIST_SHOWN_TREE_H
#define PERF_HIST_SHOWN_TREE_H

#include "util/hist/paths.h"

struct shown_trees;

/* For frames by function. Valid while no paths are added. NULL: no memory. */
struct shown_trees *shown_trees__new(const struct paths *paths);
void shown_trees__delete(struct shown_trees *all);

/* Begin a tree. caller_first: its top is the outermost caller. */
void shown_trees__begin(struct shown_trees *all, bool caller_first);
/*
 * Parts of chains that begin at the outermost frame and others may have common nodes, which count apart: first add all of the one
 * kind, then call this, then add those of the other kind.
 */
void shown_trees__begin_part(struct shown_trees *all);
/* Add a path without its first frames, in the order of the tree. 0, -ENOMEM, or -ERANGE: such parts can't be summed up by nodes. */
int shown_trees__add(struct shown_trees *all, u32 path, u32 from, u64 period, u64 nr);
/* Fill the tree, which is zeroed. 0 or -ENOMEM. */
int shown_trees__end(struct shown_trees *all, struct chain_tree *tree, u64 min_period);

#endif
