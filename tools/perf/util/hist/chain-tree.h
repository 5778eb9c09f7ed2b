/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callchains of one histogram entry, merged: a radix tree, whose nodes hold a run of frames that all chains through the
 * node share. Frames are the same if they lie in the same function, or at the same address where the function is unknown, unless
 * they have another key.
 */
#ifndef PERF_HIST_CHAIN_TREE_H
#define PERF_HIST_CHAIN_TREE_H

#include <stdbool.h>
#include "util/symbol/resolve.h"

enum frame_key { /* what tells a frame from others */
	FRAME_BY_FUNCTION,
	FRAME_BY_ADDRESS,
	FRAME_BY_LINE, /* only if its function is known; of the address if not */
};

struct chain_frame {
	const struct dso *dso;	  /* NULL: unknown */
	const struct symbol *sym; /* NULL: unknown */
	u64 addr;		  /* as sampled */
	const char *line;	  /* to be shown behind sym's name; NULL: nothing. Equal texts are one text. */
	enum frame_key key;	  /* FRAME_BY_LINE: line is not NULL */
};

/* The frames of a chain, shared by all nodes of all trees that hold a part of them: a caller's tree has its callers' chains again. */
struct chain_run {
	u32 refs, nr;
	struct chain_frame frame[];
};

struct chain_run *chain_run__new(u32 nr); /* with one reference, its frames to be filled; NULL: no memory */
void chain_run__put(struct chain_run *run);

struct chain_node {
	struct chain_run *run;		 /* a reference; NULL: the root */
	const struct chain_frame *frame; /* in run; never empty but in the root */
	u32 nr_frames;
	u32 nr_children, alloc_children;
	u32 nr_sorted; /* of the children; the rest, at most a few, stands behind them as it came */
	struct chain_node *parent; /* NULL: the root */
	u32 order;		   /* chain_tree__ends()'s own */
	struct chain_node **child; /* after chain_tree__sort(): largest sum first */
	u32 nr_shown;		   /* after chain_tree__sort(): so many of the first children are above the limit */
	u64 hit;		   /* sum of the periods of chains that end here */
	u64 children_hit;	   /* of those that go on */
	u64 nr, children_nr;	   /* samples: the same */
};

struct chain_tree {
	struct chain_node root; /* without frames */
};

static inline u64 chain_node__sum(const struct chain_node *node)
{
	return node->hit + node->children_hit;
}

static inline u64 chain_node__count(const struct chain_node *node)
{
	return node->nr + node->children_nr;
}

/*
 * tree starts zeroed. Add count samples of a chain, which is run's from this frame on; that one is to stand on top. The tree takes
 * references as it needs them. 0 or -ENOMEM. Not after chain_tree__sort().
 */
int chain_tree__add(struct chain_tree *tree, struct chain_run *run, u32 from, u64 period, u64 count);

/* Order the children of all nodes; those below min_period are not shown, relative: below that part of their parent's sum. */
void chain_tree__sort(struct chain_tree *tree, u64 min_period);
void chain_tree__sort_relative(struct chain_tree *tree, double min_percent);

/*
 * The nodes at which chains end, with at least min_period of their own, largest first; malloc'ed, *nr is their number. The rest of a
 * chain is in the nodes above, see parent. Before chain_tree__sort(), whose place it takes. NULL: no memory.
 */
struct chain_node **chain_tree__ends(const struct chain_tree *tree, u64 min_period, u32 *nr);
void chain_tree__exit(struct chain_tree *tree);

#endif
