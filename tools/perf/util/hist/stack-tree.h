/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All stacks of an event merged from their roots: command name, then callers before callees. Source of flame graphs, folded stacks
 * and profiles for other tools.
 */
#ifndef PERF_HIST_STACK_TREE_H
#define PERF_HIST_STACK_TREE_H

#include "util/callchain/callchain.h"
#include "util/machine/machine.h"

enum stack_kind {
	STACK_COMM, STACK_USER, STACK_KERNEL, STACK_INLINED, STACK_STATE,
	STACK_LABEL,   /* "key=value", above STACK_COMM: see stack_tree__add_label() */
	STACK_ADDRESS, /* a user's function without a name; name is the hexadecimal offset in the file: see stack_trees__keep_addresses() */
};

/* Keep it small: there may be one for every few bytes of a recording. */
struct stack_node {
	const char *name;	/* shared by all nodes with this text */
	const struct dso *dso;	/* NULL: unknown, or a command name */
	u64 period, nr;		/* of samples whose stack ends here */
	u64 total_period;	/* including the nodes below; after stack_trees__sort() */
	struct stack_node *parent;	  /* NULL: the root, which has no name */
	struct stack_node *child, *next;  /* after stack_trees__sort(): by name, as perf orders */
	u32 depth;		/* 1 for command names */
	enum stack_kind kind;
};

struct stack_tree;
struct stack_trees; /* one for each event */

struct stack_trees *stack_trees__new(u32 nr); /* NULL: no memory */
void stack_trees__delete(struct stack_trees *all);
struct stack_tree *stack_trees__at(const struct stack_trees *all, u32 i);
u32 stack_trees__nr(const struct stack_trees *all);
/* Before the first sample: in files with a build-id keep places without a symbol apart, so that others can name them. */
void stack_trees__keep_addresses(struct stack_trees *all);

/*
 * Add a sample: comm, and its chain (callee first; NULL or empty: loc alone). Frames are equal if their functions have the same name
 * in the same file. Returns the node where its stack ends; nodes never move. NULL: no memory. comm and the names of functions are
 * not copied and must outlive the tree.
 */
struct stack_node *stack_tree__add(struct stack_tree *tree, const char *comm, const struct callchain *chain,
				   const struct location *loc, u64 period, u64 nr);

/*
 * A label of all samples that are added below it: under is another one of them, or NULL. text is copied. NULL: no memory.
 */
struct stack_node *stack_tree__add_label(struct stack_tree *tree, struct stack_node *under, const char *text);
/* As stack_tree__add(), but below such labels (NULL: there are none); comm may be NULL then. */
struct stack_node *stack_tree__add_below(struct stack_tree *tree, struct stack_node *under, const char *comm, const struct callchain *chain,
					 const struct location *loc, u64 period, u64 nr);

/* Does the node say whose the samples are, not where they were taken? So does the root. */
static inline bool stack_node__is_owner(const struct stack_node *node)
{
	return node->kind == STACK_COMM || node->kind == STACK_LABEL;
}

/* The node below where such a stack ends, for the samples of one state of wall-clock time: "[sleeping]". NULL: no memory. */
struct stack_node *stack_tree__add_state(struct stack_tree *tree, struct stack_node *node, const char *state);

/* Add samples with this stack. */
static inline void stack_node__count(struct stack_node *node, u64 period, u64 nr)
{
	node->period += period;
	node->nr += nr;
}

/* Sum up and sort; call it once, after the last sample. */
void stack_trees__sort(struct stack_trees *all);
const struct stack_node *stack_tree__root(const struct stack_tree *tree);
u32 stack_tree__max_depth(const struct stack_tree *tree); /* maximum of all nodes */

/* The nodes in depth-first order, parents before children: start with the root; NULL after the last one. */
const struct stack_node *stack_node__next(const struct stack_node *node);

#endif
