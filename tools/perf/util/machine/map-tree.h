/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside machine/: maps sorted by their start in balanced trees (AVL) that share nodes. To copy a tree is to take another reference on
 * its root. A change copies the nodes on its way that others refer to as well, and changes those in place that are its own, so the
 * memory of many trees is that of the first one and of what was changed since, times the logarithm of its size.
 */
#ifndef PERF_MACHINE_MAP_TREE_H
#define PERF_MACHINE_MAP_TREE_H

#include "util/lib/arena.h"
#include "util/machine/machine.h"

struct map_tree { /* a node; NULL: an empty tree */
	u64 start;		     /* that of map: a search touches no map before its last step */
	const struct map *map;
	struct map_tree *left, *right; /* a reference on each */
	u32 refs, height;
};

struct map_spares { /* nodes for changes, so that these cannot fail halfway; those that trees give back are used again. Starts zeroed. */
	struct map_tree *first; /* linked by left */
	size_t nr;
	struct arena arena; /* all nodes lie in it */
};

void map_spares__exit(struct map_spares *spares); /* no tree is left */
/* As many as a split in three parts of this tree, and joining them again with three more maps, may take. 0 or -ENOMEM. */
int map_spares__reserve(struct map_spares *spares, const struct map_tree *tree);

struct map_tree *map_tree__get(struct map_tree *tree);
void map_tree__put(struct map_spares *spares, struct map_tree *tree);

/* These take over the caller's references on the trees they are handed, and return one. They use up spares. */

/* left: maps that start below addr; right: the others. */
void map_tree__split(struct map_spares *spares, struct map_tree *tree, u64 addr, struct map_tree **left, struct map_tree **right);
/* All of left start below map, and all of right above it. */
struct map_tree *map_tree__join(struct map_spares *spares, struct map_tree *left, const struct map *map, struct map_tree *right);
/* In the place of the map that starts where this one does, if there is one. */
struct map_tree *map_tree__set(struct map_spares *spares, struct map_tree *tree, const struct map *map);
/* All of left start below all of right. */
struct map_tree *map_tree__concat(struct map_spares *spares, struct map_tree *left, struct map_tree *right);

/* The last map that starts at addr or below; NULL: none. above: the first one that starts above addr; NULL there: none. */
const struct map *map_tree__floor(const struct map_tree *tree, u64 addr, const struct map **above);

#endif
