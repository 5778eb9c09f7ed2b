/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The merged callchains of one histogram entry: a radix tree. Each node holds a run of frames that all chains through the node
 * share. Two frames are equal if they lie in the same function (at the same address if the function is unknown) and have the same
 * key.
 */
#ifndef PERF_HIST_CHAIN_TREE_H
#define PERF_HIST_CHAIN_TREE_H

#include <stdbool.h>
#include "util/symbol/resolve.h"

enum frame_key { /* what distinguishes a frame */
	FRAME_BY_FUNCTION,
	FRAME_BY_ADDRESS,
	FRAME_BY_LINE, /* if the function is known; otherwise by address */
};

struct chain_frame {
	const struct dso *dso;	  /* NULL: unknown */
	const struct symbol *sym; /* NULL: unknown */
	u64 addr;		  /* as sampled */
	const char *line;	  /* shown after sym's name; NULL: nothing. Equal texts share one pointer. */
	enum frame_key key;	  /* FRAME_BY_LINE: line is not NULL */
};

/* A total order of frames; 0: they are equal. */
int chain_frame__cmp(const struct chain_frame *a, const struct chain_frame *b);
u32 chain_frame__hash(const struct chain_frame *frame); /* the same for equal frames */

/* The frames of a chain, shared by all nodes of all trees that hold a part of them: the tree of a caller repeats its callers' chains. */
struct chain_run {
	u32 refs, nr;
	struct chain_frame frame[];
};

struct chain_run *chain_run__new(u32 nr); /* returned with one reference; the caller fills its frames. NULL: no memory */
void chain_run__put(struct chain_run *run);

struct chain_node {
	struct chain_run *run;		 /* the node holds a reference; NULL: the root */
	const struct chain_frame *frame; /* in run; only the root has none */
	u32 nr_frames;
	u32 nr_children;
	u32 nr_sorted; /* number of sorted children; the few unsorted ones follow in the order of their arrival */
	struct chain_node *parent; /* NULL: the root */
	u32 order;		   /* private to chain_tree__ends() */
	struct chain_node **child; /* after chain_tree__sort(): largest sum first */
	u32 nr_shown;		   /* after chain_tree__sort(): how many of the first children are above the limit */
	u64 hit;		   /* sum of the periods of chains that end here */
	u64 children_hit;	   /* sum of the periods of chains that go on */
	u64 nr, children_nr;	   /* the same sums in samples */
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
 * Add count samples of a chain: run from this frame on, which goes to the top of the tree. tree starts zeroed and takes references as
 * it needs them. 0 or -ENOMEM. Not allowed after chain_tree__sort().
 */
int chain_tree__add(struct chain_tree *tree, struct chain_run *run, u32 from, u64 period, u64 count);

/* Sort the children of all nodes and hide those below min_period; relative: below that share of their parent's sum. */
void chain_tree__sort(struct chain_tree *tree, u64 min_period);
void chain_tree__sort_relative(struct chain_tree *tree, double min_percent);

/*
 * Return the nodes at which chains end with at least min_period of their own, largest first; malloc'ed, *nr is their number. The
 * rest of a chain is in the parent nodes. Call it instead of chain_tree__sort(), not after it. NULL: no memory.
 */
struct chain_node **chain_tree__ends(const struct chain_tree *tree, u64 min_period, u32 *nr);
void chain_tree__exit(struct chain_tree *tree);

#endif
