// SPDX-License-Identifier: GPL-2.0
#include "util/hist/stack-tree.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/lib/arena.h"
#include "util/lib/array.h"
#include "util/lib/hash-index.h"
#include "util/lib/pages.h"

#define CHUNK_NODES 512

struct stack_tree {
	struct stack_node root;
	struct stack_trees *all;
};

struct stack_trees {
	struct stack_tree *tree;
	u32 nr_trees, max_depth;
	bool keeps_addresses;
	struct stack_node **chunk; /* the nodes of all trees in the order of their creation, CHUNK_NODES each */
	u32 nr_nodes, nr_chunks;
	struct hash_index nodes;
	/* Names come from many symbol tables; each text is stored once, so that nodes are compared by pointer. */
	const char **name;
	u32 nr_names, alloc_names;
	struct hash_index names;
	struct arena texts; /* names that are neither symbols' nor tasks' */
};

struct stack_trees *stack_trees__new(u32 nr)
{
	struct stack_trees *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->nr_trees = nr;
	all->tree = calloc(nr ?: 1, sizeof(*all->tree));
	if (!all->tree) {
		free(all);
		return NULL;
	}
	for (u32 i = 0; i < nr; i++)
		all->tree[i].all = all;
	return all;
}

/* Frees what only served to find nodes and names. */
static void end_indexes(struct stack_trees *all)
{
	hash_index__exit(&all->nodes);
	hash_index__exit(&all->names);
	pages__delete(all->name, all->alloc_names * sizeof(*all->name));
	all->name = NULL;
	all->nr_names = all->alloc_names = 0;
}

void stack_trees__delete(struct stack_trees *all)
{
	if (!all)
		return;
	end_indexes(all);
	for (u32 i = 0; i < all->nr_chunks; i++)
		free(all->chunk[i]);
	free(all->chunk);
	arena__exit(&all->texts);
	free(all->tree);
	free(all);
}

struct stack_tree *stack_trees__at(const struct stack_trees *all, u32 i)
{
	return &all->tree[i];
}

u32 stack_trees__nr(const struct stack_trees *all)
{
	return all->nr_trees;
}

void stack_trees__keep_addresses(struct stack_trees *all)
{
	all->keeps_addresses = true;
}

static int reserve_name(struct stack_trees *all)
{
	u32 alloc = all->alloc_names ? 2 * all->alloc_names : 1024;
	const size_t size = sizeof(*all->name);
	const char **more;

	if (all->nr_names < all->alloc_names)
		return 0;
	more = alloc > all->nr_names ? pages__grow(all->name, all->alloc_names * size, alloc * size) : NULL;
	if (!more)
		return -1;
	all->name = more;
	all->alloc_names = alloc;
	return 0;
}

static const char *copy(struct stack_trees *all, const char *text)
{
	size_t size = strlen(text) + 1;
	char *to = arena__add(&all->texts, size);

	return to ? memcpy(to, text, size) : NULL;
}

/* passing: the text does not outlive the call; copy it. */
static const char *unique_name(struct stack_trees *all, const char *text, bool passing)
{
	const struct hash_slot *slot;
	u32 hash = hash_text(text), i = hash;

	while ((slot = hash_index__next(&all->names, hash, &i))) {
		if (!strcmp(all->name[slot->place - 1], text))
			return all->name[slot->place - 1];
	}
	if (passing)
		text = copy(all, text);
	if (!text || reserve_name(all) || hash_index__add(&all->names, hash, all->nr_names))
		return NULL;
	return all->name[all->nr_names++] = text;
}

static struct stack_node *node_at(const struct stack_trees *all, u32 place)
{
	return &all->chunk[place / CHUNK_NODES][place % CHUNK_NODES];
}

static int reserve_node(struct stack_trees *all)
{
	if (all->nr_nodes == UINT32_MAX)
		return -1;
	if (all->nr_nodes < all->nr_chunks * CHUNK_NODES)
		return 0;
	if (array__extend(all->chunk, all->nr_chunks))
		return -1;
	all->chunk[all->nr_chunks] = malloc(CHUNK_NODES * sizeof(**all->chunk));
	if (!all->chunk[all->nr_chunks])
		return -1;
	all->nr_chunks++;
	return 0;
}

static struct stack_node *find_node(const struct stack_trees *all, const struct stack_node *key, u32 hash)
{
	const struct hash_slot *slot;
	u32 i = hash;

	while ((slot = hash_index__next(&all->nodes, hash, &i))) {
		struct stack_node *node = node_at(all, slot->place - 1);

		if (node->parent == key->parent && node->name == key->name && node->dso == key->dso && node->kind == key->kind)
			return node;
	}
	return NULL;
}

/* Find the child of parent, or create it. NULL: no memory. */
static struct stack_node *child_of(struct stack_trees *all, struct stack_node *parent, const char *text, bool passing,
				   const struct dso *dso, enum stack_kind kind)
{
	struct stack_node key = { .name = unique_name(all, text, passing), .dso = dso, .parent = parent, .kind = kind,
				  .depth = parent->depth + 1 };
	u32 hash = hash_mix(hash_mix(hash_mix((uintptr_t)parent, (uintptr_t)key.name), (uintptr_t)dso), kind);
	struct stack_node *node;

	if (!key.name)
		return NULL;
	node = find_node(all, &key, hash);
	if (node)
		return node;
	if (reserve_node(all) || hash_index__add(&all->nodes, hash, all->nr_nodes))
		return NULL;
	node = node_at(all, all->nr_nodes++);
	*node = key;
	LL_PREPEND(parent->child, node);
	if (node->depth > all->max_depth)
		all->max_depth = node->depth;
	return node;
}

static enum stack_kind location__kind(const struct location *loc)
{
	if (loc->sym && loc->sym->inlined)
		return STACK_INLINED;
	return loc->cpumode == PERF_RECORD_MISC_KERNEL || loc->cpumode == PERF_RECORD_MISC_GUEST_KERNEL ? STACK_KERNEL : STACK_USER;
}

static bool has_address(const struct stack_trees *all, const struct location *loc)
{
	return all->keeps_addresses && loc->dso && loc->dso->kind == DSO_USER && loc->dso->build_id.size;
}

/* Code without a symbol gets the name of its file, or is known by its address there. */
static struct stack_node *child_at(struct stack_trees *all, struct stack_node *parent, const struct location *loc)
{
	char name[256];

	if (loc->sym)
		return child_of(all, parent, loc->sym->name, false, loc->dso, location__kind(loc));
	if (has_address(all, loc)) {
		snprintf(name, sizeof(name), "%" PRIx64, (uint64_t)location__code_addr(loc));
		return child_of(all, parent, name, true, loc->dso, STACK_ADDRESS);
	}
	if (!loc->dso)
		return child_of(all, parent, "[unknown]", false, NULL, location__kind(loc));
	snprintf(name, sizeof(name), *loc->dso->short_name == '[' ? "%s" : "[%s]", loc->dso->short_name);
	return child_of(all, parent, name, true, loc->dso, location__kind(loc));
}

struct stack_node *stack_tree__add_label(struct stack_tree *tree, struct stack_node *under, const char *text)
{
	return child_of(tree->all, under ?: &tree->root, text, true, NULL, STACK_LABEL);
}

struct stack_node *stack_tree__add_below(struct stack_tree *tree, struct stack_node *under, const char *comm, const struct callchain *chain,
					 const struct location *loc, u64 period, u64 nr)
{
	struct stack_node *node = under ?: &tree->root;

	if (comm)
		node = child_of(tree->all, node, comm__shown(comm), false, NULL, STACK_COMM);
	if (!chain || !chain->nr) {
		if (node)
			node = child_at(tree->all, node, loc);
	} else {
		for (u32 i = chain->nr; i > 0 && node; i--)
			node = child_at(tree->all, node, &chain->frame[i - 1]);
	}
	if (node)
		stack_node__count(node, period, nr);
	return node;
}

struct stack_node *stack_tree__add(struct stack_tree *tree, const char *comm, const struct callchain *chain,
				   const struct location *loc, u64 period, u64 nr)
{
	return stack_tree__add_below(tree, NULL, comm, chain, loc, period, nr);
}

struct stack_node *stack_tree__add_state(struct stack_tree *tree, struct stack_node *node, const char *state)
{
	char name[32];

	snprintf(name, sizeof(name), "[%s]", state);
	return child_of(tree->all, node, name, true, NULL, STACK_STATE);
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

void stack_trees__sort(struct stack_trees *all)
{
	end_indexes(all);
	for (u32 i = 0; i < all->nr_nodes; i++)
		node_at(all, i)->total_period = node_at(all, i)->period;
	/* Parents were created before their children: from the last node to the first, each one is complete. */
	for (u32 i = all->nr_nodes; i > 0; i--) {
		struct stack_node *node = node_at(all, i - 1);

		node->parent->total_period += node->total_period;
		LL_SORT(node->child, node__cmp);
	}
	for (u32 i = 0; i < all->nr_trees; i++)
		LL_SORT(all->tree[i].root.child, node__cmp);
}

const struct stack_node *stack_tree__root(const struct stack_tree *tree)
{
	return &tree->root;
}

u32 stack_tree__max_depth(const struct stack_tree *tree)
{
	return tree->all->max_depth;
}

const struct stack_node *stack_node__next(const struct stack_node *node)
{
	if (node->child)
		return node->child;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}
