// SPDX-License-Identifier: GPL-2.0
#include "util/hist/chain-tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/array.h"
#include "util/lib/hash-index.h"

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

/* Code without symbols may have a branch for each sample: moving half of them for each new one would take minutes. */
#define FEW_CHILDREN 1024
#define MAX_UNSORTED 256

static bool is_inlined(const struct chain_frame *frame)
{
	return frame->sym && frame->sym->inlined;
}

static int cmp_functions(const struct chain_frame *a, const struct chain_frame *b)
{
	if (!a->sym != !b->sym)
		return a->sym ? -1 : 1;
	return a->sym ? CMP(b->sym->start, a->sym->start) : CMP(b->addr, a->addr);
}

/*
 * Any total order would do for merging; this one also decides which of two equal branches is printed first. It follows perf: the dso
 * that was mapped last, then the higher address. Inlined functions have no address of their own: they are compared by name.
 */
int chain_frame__cmp(const struct chain_frame *a, const struct chain_frame *b)
{
	if (a->key != b->key)
		return CMP(a->key, b->key);
	if (a->key == FRAME_BY_LINE)
		return a->line == b->line ? 0 : strcmp(b->line, a->line);
	if (a->key == FRAME_BY_FUNCTION && (is_inlined(a) || is_inlined(b))) {
		if (!is_inlined(a) || !is_inlined(b))
			return is_inlined(a) ? 1 : -1;
		return a->sym == b->sym ? 0 : strcmp(a->sym->name, b->sym->name);
	}
	if (a->dso != b->dso) {
		if (!a->dso || !b->dso)
			return a->dso ? -1 : 1;
		return CMP(b->dso->index, a->dso->index);
	}
	return a->key == FRAME_BY_ADDRESS ? CMP(b->addr, a->addr) : cmp_functions(a, b);
}

u32 chain_frame__hash(const struct chain_frame *frame)
{
	bool by_function = frame->key == FRAME_BY_FUNCTION && frame->sym;

	if (frame->key == FRAME_BY_LINE)
		return hash_text(frame->line);
	if (by_function && frame->sym->inlined)
		return hash_text(frame->sym->name);
	return hash_mix(hash_mix(by_function, (uintptr_t)frame->dso), by_function ? frame->sym->start : frame->addr);
}

struct chain_run *chain_run__new(u32 nr)
{
	struct chain_run *run = malloc(sizeof(*run) + nr * sizeof(run->frame[0]));

	if (run) {
		run->refs = 1;
		run->nr = nr;
	}
	return run;
}

void chain_run__put(struct chain_run *run)
{
	if (run && --run->refs == 0)
		free(run);
}

static struct chain_node *node__new(struct chain_run *run, const struct chain_frame *frame, u32 nr)
{
	struct chain_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	run->refs++;
	node->run = run;
	node->frame = frame;
	node->nr_frames = nr;
	return node;
}

/* Frees what node holds, not node itself: the root is embedded. */
static void node__exit(struct chain_node *node)
{
	for (u32 i = 0; i < node->nr_children; i++) {
		node__exit(node->child[i]);
		free(node->child[i]);
	}
	free(node->child);
	chain_run__put(node->run);
}

static int reserve_child(struct chain_node *node)
{
	return array__extend(node->child, node->nr_children);
}

static int cmp_first_frames(const void *a, const void *b)
{
	const struct chain_node *l = *(struct chain_node *const *)a, *r = *(struct chain_node *const *)b;

	return chain_frame__cmp(l->frame, r->frame);
}

/* Position of the frame among the first nr children, which are sorted, or where to insert it. */
static u32 find_place(struct chain_node *const *child, u32 nr, const struct chain_frame *frame)
{
	u32 low = 0, high = nr;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (chain_frame__cmp(frame, child[mid]->frame) > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The child that begins with frame, or NULL. */
static struct chain_node *find_child(const struct chain_node *node, const struct chain_frame *frame)
{
	u32 at = find_place(node->child, node->nr_sorted, frame);

	if (at < node->nr_sorted && !chain_frame__cmp(frame, node->child[at]->frame))
		return node->child[at];
	for (at = node->nr_sorted; at < node->nr_children; at++) {
		if (!chain_frame__cmp(frame, node->child[at]->frame))
			return node->child[at];
	}
	return NULL;
}

/* Sort the unsorted children in, the last of them first: each of those moves once. */
static void settle_children(struct chain_node *node)
{
	struct chain_node *last[MAX_UNSORTED];
	u32 nr = node->nr_children - node->nr_sorted, end = node->nr_sorted;

	memcpy(last, node->child + end, nr * sizeof(*last));
	qsort(last, nr, sizeof(*last), cmp_first_frames);
	for (; nr; nr--) {
		u32 at = find_place(node->child, end, last[nr - 1]->frame);

		memmove(node->child + at + nr, node->child + at, (end - at) * sizeof(*node->child));
		node->child[at + nr - 1] = last[nr - 1];
		end = at;
	}
	node->nr_sorted = node->nr_children;
}

/* Start with the frames of run after the first from ones. */
static int add_child(struct chain_node *node, struct chain_run *run, u32 from, u64 period, u64 count)
{
	struct chain_node *child;

	if (reserve_child(node))
		return -ENOMEM;
	child = node__new(run, run->frame + from, run->nr - from);
	if (!child)
		return -ENOMEM;
	child->parent = node->nr_frames ? node : NULL;
	child->hit = period;
	child->nr = count;
	node->child[node->nr_children++] = child;
	if (node->nr_children <= FEW_CHILDREN || node->nr_children - node->nr_sorted == MAX_UNSORTED)
		settle_children(node);
	return 0;
}

/* Leave the first nr frames in node and move the rest, and all its children, into one new child. */
static int split(struct chain_node *node, u32 nr)
{
	struct chain_node **children = malloc(sizeof(*children));
	struct chain_node *rest;

	if (!children)
		return -ENOMEM;
	rest = node__new(node->run, node->frame + nr, node->nr_frames - nr);
	if (!rest) {
		free(children);
		return -ENOMEM;
	}
	rest->child = node->child;
	rest->nr_children = node->nr_children;
	rest->nr_sorted = node->nr_sorted;
	rest->hit = node->hit;
	rest->children_hit = node->children_hit;
	rest->nr = node->nr;
	rest->children_nr = node->children_nr;
	rest->parent = node;
	for (u32 i = 0; i < rest->nr_children; i++)
		rest->child[i]->parent = rest;
	children[0] = rest;
	node->child = children;
	node->nr_children = node->nr_sorted = 1;
	node->nr_frames = nr;
	node->children_hit += node->hit;
	node->children_nr += node->nr;
	node->hit = node->nr = 0;
	return 0;
}

static u32 common_frames(const struct chain_node *node, const struct chain_frame *frame, u32 nr)
{
	u32 i = 0;

	while (i < nr && i < node->nr_frames && !chain_frame__cmp(&node->frame[i], &frame[i]))
		i++;
	return i;
}

int chain_tree__add(struct chain_tree *tree, struct chain_run *run, u32 from, u64 period, u64 count)
{
	struct chain_node *node = &tree->root;

	while (from < run->nr) {
		struct chain_node *child = find_child(node, &run->frame[from]);
		u32 common;

		if (!child) {
			if (add_child(node, run, from, period, count))
				return -ENOMEM;
			node->children_hit += period;
			node->children_nr += count;
			return 0;
		}
		common = common_frames(child, &run->frame[from], run->nr - from);
		if (common < child->nr_frames && split(child, common))
			return -ENOMEM;
		node->children_hit += period;
		node->children_nr += count;
		node = child;
		from += common;
	}
	node->hit += period;
	node->nr += count;
	return 0;
}

static int cmp_sum(const void *a, const void *b)
{
	const struct chain_node *l = *(struct chain_node *const *)a, *r = *(struct chain_node *const *)b;
	int ret = CMP(chain_node__sum(r), chain_node__sum(l));

	/* qsort() is not stable by contract */
	return ret ?: chain_frame__cmp(l->frame, r->frame);
}

static u64 round_up(double x)
{
	u64 whole = x;

	return whole < x ? whole + 1 : whole;
}

static void sort_node(struct chain_node *node, u64 min_period, double relative)
{
	if (relative)
		min_period = round_up(node->children_hit * relative);
	if (node->nr_children)
		qsort(node->child, node->nr_children, sizeof(*node->child), cmp_sum);
	node->nr_shown = 0;
	for (u32 i = 0; i < node->nr_children; i++) {
		if (chain_node__sum(node->child[i]) < min_period)
			break;
		sort_node(node->child[i], min_period, relative);
		node->nr_shown++;
	}
}

void chain_tree__sort(struct chain_tree *tree, u64 min_period)
{
	sort_node(&tree->root, min_period, 0);
}

void chain_tree__sort_relative(struct chain_tree *tree, double min_percent)
{
	sort_node(&tree->root, 0, min_percent / 100);
}

struct chain_ends {
	struct chain_node **node;
	u32 nr, alloc;
	u64 min_period;
};

/* Children first, so that equal ones are printed in perf's order. */
static int collect_ends(struct chain_ends *ends, struct chain_node **child, u32 nr)
{
	if (nr > FEW_CHILDREN)
		qsort(child, nr, sizeof(*child), cmp_first_frames);
	for (u32 i = 0; i < nr; i++) {
		struct chain_node *node = child[i];

		if (collect_ends(ends, node->child, node->nr_children))
			return -ENOMEM;
		if (!node->hit || node->hit < ends->min_period)
			continue;
		if (array__grow(ends->node, ends->nr, ends->alloc))
			return -ENOMEM;
		node->order = ends->nr;
		ends->node[ends->nr++] = node;
	}
	return 0;
}

static int cmp_ends(const void *a, const void *b)
{
	const struct chain_node *l = *(struct chain_node *const *)a, *r = *(struct chain_node *const *)b;

	return CMP(r->hit, l->hit) ?: CMP(l->order, r->order);
}

struct chain_node **chain_tree__ends(const struct chain_tree *tree, u64 min_period, u32 *nr)
{
	struct chain_ends ends = { .min_period = min_period, .alloc = 16 };

	ends.node = calloc(ends.alloc, sizeof(*ends.node));
	if (!ends.node || collect_ends(&ends, tree->root.child, tree->root.nr_children)) {
		free(ends.node);
		return NULL;
	}
	qsort(ends.node, ends.nr, sizeof(*ends.node), cmp_ends);
	*nr = ends.nr;
	return ends.node;
}

void chain_tree__exit(struct chain_tree *tree)
{
	node__exit(&tree->root);
	memset(tree, 0, sizeof(*tree));
}
