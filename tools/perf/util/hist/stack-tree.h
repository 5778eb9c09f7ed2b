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

struct stack_node {
	const char *name;	/* owned by the tree */
	const struct dso *dso;	/* NULL: unknown, and of command names */
	enum stack_kind kind;
	u64 period, nr;		/* of samples whose stack ends here */
	u64 total_period;	/* those of the nodes below added; after stack_tree__sort() */
	u32 depth;		/* of command names: 1 */
	struct stack_node *parent;	  /* NULL: the root, which has no name */
	struct stack_node *child, *next;  /* after stack_tree__sort(): by name, as perf orders */
};

struct stack_tree;

struct stack_tree *stack_tree__new(void); /* NULL: -ENOMEM */
void stack_tree__delete(struct stack_tree *tree);

/*
 * Add a sample: comm, and its chain (callee first; NULL or empty: loc alone). Frames are the same if their functions have the
 * same name in the same file. Returns the node where its stack ends, which stays where it is; NULL: no memory.
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
void stack_tree__sort(struct stack_tree *tree);
const struct stack_node *stack_tree__root(const struct stack_tree *tree);
u32 stack_tree__max_depth(const struct stack_tree *tree);

/* The nodes in depth-first order, parents before children: start with the root; NULL after the last one. */
const struct stack_node *stack_node__next(const struct stack_node *node);

#endif
