/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside machine/: maps sorted by their start in balanced trees (AVL) that share nodes. Copying a tree takes another reference on
 * its root. A change copies the nodes on its path that others refer to as well, and modifies its own in place, so the memory of many
 * trees is that of the first one and of later changes, times the logarithm of its size.
 */
#ifndef PERF_MACHINE_MAP_TREE_H
#define PERF_MACHINE_MAP_TREE_H

#include "util/lib/arena.h"
#include "util/machine/machine.h"

struct map_tree { /* a node; NULL: an empty tree */
	u64 start;		     /* start of map: a search reads no map before its last step */
	const struct map *map;
	struct map_tree *left, *right; /* the node holds a reference on each */
	u32 refs, height;
};

struct map_spares { /* nodes for changes, so that these cannot fail halfway; nodes that trees release are reused. Starts zeroed. */
	struct map_tree *first; /* linked by left */
	size_t nr;
	struct arena arena; /* contains all nodes */
};

void map_spares__exit(struct map_spares *spares); /* call it after all trees were released */
/* Reserve the maximum for splitting this tree into three parts and joining them again with three more maps. 0 or -ENOMEM. */
int map_spares__reserve(struct map_spares *spares, const struct map_tree *tree);

struct map_tree *map_tree__get(struct map_tree *tree);
void map_tree__put(struct map_spares *spares, struct map_tree *tree);

/* These take over the caller's references on their trees, and return one. They use up spares. */

/* left: maps that start below addr; right: the others. */
void map_tree__split(struct map_spares *spares, struct map_tree *tree, u64 addr, struct map_tree **left, struct map_tree **right);
/* All maps of left start below map, and all of right above it. */
struct map_tree *map_tree__join(struct map_spares *spares, struct map_tree *left, const struct map *map, struct map_tree *right);
/* Insert a map, or replace the one with the same start. */
struct map_tree *map_tree__set(struct map_spares *spares, struct map_tree *tree, const struct map *map);
/* All maps of left start below all of right. */
struct map_tree *map_tree__concat(struct map_spares *spares, struct map_tree *left, struct map_tree *right);

/* The last map that starts at addr or below; NULL: none. *above: the first one that starts above addr; NULL: none. */
const struct map *map_tree__floor(const struct map_tree *tree, u64 addr, const struct map **above);

/*
 * List the maps of a tree in their order. Returns how many there are, and in *nr_own how many of its nodes no other tree has; more than max: only
 * that many were listed.
 */
u32 map_tree__list(const struct map_tree *tree, const struct map **list, u32 max, u32 *nr_own);

#endif
