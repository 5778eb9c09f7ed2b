/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All stacks of an event merged from their roots: command name, then callers before callees. It is what flame graphs show and
 * what folded stacks and profiles of other tools are written from.
 */
#ifndef PERF_HIST_STACK_TREE_H
#define PERF_HIST_STACK_TREE_H

#include "util/callchain/callchain.h"
#include "util/machine/machine.h"

enum stack_kind { STACK_COMM, STACK_USER, STACK_KERNEL, STACK_INLINED };

/* There may be one for each few bytes of a recording: keep it small. */
struct stack_node {
	const char *name;	/* one for all nodes with this text */
	const struct dso *dso;	/* NULL: unknown, and of command names */
	u64 period, nr;		/* of samples whose stack ends here */
	u64 total_period;	/* those of the nodes below added; after stack_trees__sort() */
	struct stack_node *parent;	  /* NULL: the root, which has no name */
	struct stack_node *child, *next;  /* after stack_trees__sort(): by name, as perf orders */
	u32 depth;		/* of command names: 1 */
	enum stack_kind kind;
};

struct stack_tree;
struct stack_trees; /* one for each event */

struct stack_trees *stack_trees__new(u32 nr); /* NULL: no memory */
void stack_trees__delete(struct stack_trees *all);
struct stack_tree *stack_trees__at(const struct stack_trees *all, u32 i);

/*
 * Add a sample: comm, and its chain (callee first; NULL or empty: loc alone). Frames are the same if their functions have the
 * same name in the same file. Returns the node where its stack ends, which stays where it is; NULL: no memory. comm and the names of
 * functions are not copied: they outlive the tree.
 */
struct stack_node *stack_tree__add(struct stack_tree *tree, const char *comm, const struct callchain *chain,
				   const struct location *loc, u64 period, u64 nr);

/* Samples with this stack. */
static inline void stack_node__count(struct stack_node *node, u64 period, u64 nr)
{
	node->period += period;
	node->nr += nr;
}

/* Sum up and order; to be done once, after the last sample. */
void stack_trees__sort(struct stack_trees *all);
const struct stack_node *stack_tree__root(const struct stack_tree *tree);
u32 stack_tree__max_depth(const struct stack_tree *tree); /* no node has more; others may have less */

/* The nodes in depth-first order, parents before children: start with the root; NULL after the last one. */
const struct stack_node *stack_node__next(const struct stack_node *node);

#endif
