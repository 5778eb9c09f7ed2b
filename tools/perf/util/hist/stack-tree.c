// SPDX-License-Identifier: GPL-2.0
#include "util/hist/stack-tree.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/hash.h"
#include <utlist.h>

/* Names come from many symbol tables; each text is kept once, so that nodes are compared by pointer. */
struct stack_name {
	UT_hash_handle hh;
	char text[];
};

struct node_key {
	const struct stack_node *parent;
	const char *name;
	const struct dso *dso;
	u64 kind;
};

struct hashed_node {
	struct stack_node node; /* first: what others see is cast back to this */
	struct node_key key;
	UT_hash_handle hh;
};

struct stack_tree {
	struct stack_node root;
	struct hashed_node *nodes;
	struct stack_name *names;
	u32 max_depth;
};

struct stack_tree *stack_tree__new(void)
{
	return calloc(1, sizeof(struct stack_tree));
}

void stack_tree__delete(struct stack_tree *tree)
{
	struct hashed_node *node, *next_node;
	struct stack_name *name, *next_name;

	if (!tree)
		return;
	HASH_ITER(hh, tree->nodes, node, next_node) {
		HASH_DEL(tree->nodes, node);
		free(node);
	}
	HASH_ITER(hh, tree->names, name, next_name) {
		HASH_DEL(tree->names, name);
		free(name);
	}
	free(tree);
}

static const char *stack_tree__name(struct stack_tree *tree, const char *text)
{
	size_t len = strlen(text);
	struct stack_name *name;

	HASH_FIND(hh, tree->names, text, len, name);
	if (name)
		return name->text;
	name = calloc(1, sizeof(*name) + len + 1);
	if (!name)
		return NULL;
	memcpy(name->text, text, len);
	HASH_ADD_KEYPTR(hh, tree->names, name->text, len, name);
	if (!hash_added(name)) {
		free(name);
		return NULL;
	}
	return name->text;
}

/* The child of parent; made if it is new. NULL: no memory. */
static struct stack_node *stack_tree__child(struct stack_tree *tree, struct stack_node *parent, const char *text,
					    const struct dso *dso, enum stack_kind kind)
{
	struct node_key key = { .parent = parent, .name = stack_tree__name(tree, text), .dso = dso, .kind = kind };
	struct hashed_node *node;

	if (!key.name)
		return NULL;
	HASH_FIND(hh, tree->nodes, &key, sizeof(key), node);
	if (node)
		return &node->node;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->node = (struct stack_node){
		.name = key.name,
		.dso = dso,
		.kind = kind,
		.depth = parent->depth + 1,
		.parent = parent,
	};
	node->key = key;
	HASH_ADD(hh, tree->nodes, key, sizeof(key), node);
	if (!hash_added(node)) {
		free(node);
		return NULL;
	}
	LL_PREPEND(parent->child, &node->node);
	if (node->node.depth > tree->max_depth)
		tree->max_depth = node->node.depth;
	return &node->node;
}

static enum stack_kind location__kind(const struct location *loc)
{
	if (loc->sym && loc->sym->inlined)
		return STACK_INLINED;
	return loc->cpumode == PERF_RECORD_MISC_KERNEL || loc->cpumode == PERF_RECORD_MISC_GUEST_KERNEL ? STACK_KERNEL : STACK_USER;
}

/* Code without a symbol goes by the name of its file. */
static struct stack_node *stack_tree__frame(struct stack_tree *tree, struct stack_node *parent, const struct location *loc)
{
	char name[256];

	if (loc->sym)
		return stack_tree__child(tree, parent, loc->sym->name, loc->dso, location__kind(loc));
	if (!loc->dso)
		return stack_tree__child(tree, parent, "[unknown]", NULL, location__kind(loc));
	snprintf(name, sizeof(name), *loc->dso->short_name == '[' ? "%s" : "[%s]", loc->dso->short_name);
	return stack_tree__child(tree, parent, name, loc->dso, location__kind(loc));
}

struct stack_node *stack_tree__add(struct stack_tree *tree, const char *comm, const struct callchain *chain,
				   const struct location *loc, u64 period, u64 nr)
{
	struct stack_node *node = stack_tree__child(tree, &tree->root, comm, NULL, STACK_COMM);

	if (!chain || !chain->nr) {
		if (node)
			node = stack_tree__frame(tree, node, loc);
	} else {
		for (u32 i = chain->nr; i > 0 && node; i--)
			node = stack_tree__frame(tree, node, &chain->frame[i - 1]);
	}
	if (node)
		stack_node__count(node, period, nr);
	return node;
}

static int node__cmp(const struct stack_node *a, const struct stack_node *b)
{
	int cmp = strcmp(a->name, b->name);

	if (cmp || a->dso == b->dso)
		return cmp ? cmp : (int)a->kind - (int)b->kind;
	if (!a->dso || !b->dso)
		return a->dso ? 1 : -1;
	return (a->dso->index > b->dso->index) - (a->dso->index < b->dso->index);
}

void stack_tree__sort(struct stack_tree *tree)
{
	struct stack_node *node;
	struct hashed_node *hashed;

	/* Children were made after their parents, and uthash keeps that order: from the last to the first, each is complete. */
	tree->root.total_period = tree->root.period;
	for (hashed = tree->nodes; hashed; hashed = hashed->hh.next)
		hashed->node.total_period = hashed->node.period;
	hashed = tree->nodes ? ELMT_FROM_HH(tree->nodes->hh.tbl, tree->nodes->hh.tbl->tail) : NULL;
	for (; hashed; hashed = hashed->hh.prev) {
		node = &hashed->node;
		node->parent->total_period += node->total_period;
		LL_SORT(node->child, node__cmp);
	}
	LL_SORT(tree->root.child, node__cmp);
}

const struct stack_node *stack_tree__root(const struct stack_tree *tree)
{
	return &tree->root;
}

u32 stack_tree__max_depth(const struct stack_tree *tree)
{
	return tree->max_depth;
}

const struct stack_node *stack_node__next(const struct stack_node *node)
{
	if (node->child)
		return node->child;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}
