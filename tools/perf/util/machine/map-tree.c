// SPDX-License-Identifier: GPL-2.0
#include "util/machine/map-tree.h"

#include <errno.h>

/* Versions of address spaces have 32 bits, one for each change (maps.h): a tree with that many maps has 46 levels. */
#define MAX_HEIGHT 48

void map_spares__exit(struct map_spares *spares)
{
	arena__exit(&spares->arena);
	*spares = (struct map_spares){};
}

static void give_back(struct map_spares *spares, struct map_tree *node)
{
	node->left = spares->first;
	spares->first = node;
	spares->nr++;
}

static u32 height_of(const struct map_tree *tree)
{
	return tree ? tree->height : 0;
}

/*
 * On its way down a split copies a node on each level. The joins on its way up descend by the differences of heights, in all two
 * heights, and each may rotate twice, with two copies each time.
 */
int map_spares__reserve(struct map_spares *spares, const struct map_tree *tree)
{
	const u32 of_split = 8 * (height_of(tree) + 4), nr = 2 * of_split + 4 * (height_of(tree) + 8);

	while (spares->nr < nr) {
		struct map_tree *node = arena__add(&spares->arena, sizeof(*node));

		if (!node)
			return -ENOMEM;
		give_back(spares, node);
	}
	return 0;
}

static struct map_tree *take_spare(struct map_spares *spares)
{
	struct map_tree *node = spares->first;

	spares->first = node->left;
	spares->nr--;
	return node;
}

struct map_tree *map_tree__get(struct map_tree *tree)
{
	if (tree)
		tree->refs++;
	return tree;
}

/* Limit of the height: a tree with more levels has more maps than a file can have. */
void map_tree__put(struct map_spares *spares, struct map_tree *tree)
{
	if (!tree || --tree->refs)
		return;
	map_tree__put(spares, tree->left);
	map_tree__put(spares, tree->right);
	give_back(spares, tree);
}

/* Return the node for modification: a copy if others refer to it, too. */
static struct map_tree *own(struct map_spares *spares, struct map_tree *node)
{
	struct map_tree *copy;

	if (node->refs == 1)
		return node;
	copy = take_spare(spares);
	*copy = *node;
	copy->refs = 1;
	map_tree__get(copy->left);
	map_tree__get(copy->right);
	node->refs--;
	return copy;
}

static void set_height(struct map_tree *node)
{
	u32 left = height_of(node->left), right = height_of(node->right);

	node->height = 1 + (left > right ? left : right);
}

static struct map_tree *rotate_left(struct map_spares *spares, struct map_tree *node)
{
	struct map_tree *top = own(spares, node->right);

	node->right = top->left;
	top->left = node;
	set_height(node);
	set_height(top);
	return top;
}

static struct map_tree *rotate_right(struct map_spares *spares, struct map_tree *node)
{
	struct map_tree *top = own(spares, node->left);

	node->left = top->right;
	top->right = node;
	set_height(node);
	set_height(top);
	return top;
}

/* We own node, and the heights of its two sides differ by at most two. */
static struct map_tree *balance(struct map_spares *spares, struct map_tree *node)
{
	u32 left = height_of(node->left), right = height_of(node->right);

	if (left > right + 1) {
		if (height_of(node->left->right) > height_of(node->left->left))
			node->left = rotate_left(spares, own(spares, node->left));
		return rotate_right(spares, node);
	}
	if (right > left + 1) {
		if (height_of(node->right->left) > height_of(node->right->right))
			node->right = rotate_right(spares, own(spares, node->right));
		return rotate_left(spares, node);
	}
	set_height(node);
	return node;
}

/* We own mid; its sides are undefined. */
static struct map_tree *join(struct map_spares *spares, struct map_tree *left, struct map_tree *mid, struct map_tree *right)
{
	if (height_of(left) > height_of(right) + 1) {
		left = own(spares, left);
		left->right = join(spares, left->right, mid, right);
		return balance(spares, left);
	}
	if (height_of(right) > height_of(left) + 1) {
		right = own(spares, right);
		right->left = join(spares, left, mid, right->left);
		return balance(spares, right);
	}
	mid->left = left;
	mid->right = right;
	set_height(mid);
	return mid;
}

static struct map_tree *new_node(struct map_spares *spares, const struct map *map)
{
	struct map_tree *node = take_spare(spares);

	*node = (struct map_tree){ .start = map->start, .map = map, .refs = 1, .height = 1 };
	return node;
}

struct map_tree *map_tree__join(struct map_spares *spares, struct map_tree *left, const struct map *map, struct map_tree *right)
{
	return join(spares, left, new_node(spares, map), right);
}

struct map_tree *map_tree__set(struct map_spares *spares, struct map_tree *tree, const struct map *map)
{
	struct map_tree **way[MAX_HEIGHT], **at = &tree;
	u32 nr = 0, height;

	while (*at) {
		struct map_tree *node = own(spares, *at);

		*at = node;
		if (node->start == map->start) {
			node->map = map;
			return tree;
		}
		way[nr++] = at;
		at = map->start < node->start ? &node->left : &node->right;
	}
	*at = new_node(spares, map);
	while (nr) {
		at = way[--nr];
		height = (*at)->height;
		*at = balance(spares, *at);
		if ((*at)->height == height) /* so nothing above changes */
			break;
	}
	return tree;
}

void map_tree__split(struct map_spares *spares, struct map_tree *tree, u64 addr, struct map_tree **left, struct map_tree **right)
{
	struct map_tree *node, *before, *behind, *inner;

	if (!tree) {
		*left = *right = NULL;
		return;
	}
	node = own(spares, tree);
	before = node->left;
	behind = node->right;
	if (node->start < addr) {
		map_tree__split(spares, behind, addr, &inner, right);
		*left = join(spares, before, node, inner);
	} else {
		map_tree__split(spares, before, addr, left, &inner);
		*right = join(spares, inner, node, behind);
	}
}

struct map_tree *map_tree__concat(struct map_spares *spares, struct map_tree *left, struct map_tree *right)
{
	const struct map *above, *first = map_tree__floor(right, 0, &above) ?: above;
	struct map_tree *alone, *rest;

	if (!first)
		return left;
	map_tree__split(spares, right, first->start + 1, &alone, &rest);
	map_tree__put(spares, alone);
	return map_tree__join(spares, left, first, rest);
}

const struct map *map_tree__floor(const struct map_tree *tree, u64 addr, const struct map **above)
{
	const struct map *found = NULL;

	*above = NULL;
	while (tree) {
		if (tree->start <= addr) {
			found = tree->map;
			tree = tree->right;
		} else {
			*above = tree->map;
			tree = tree->left;
		}
	}
	return found;
}

static u32 list(const struct map_tree *tree, bool is_own, const struct map **to, u32 nr, u32 max, u32 *nr_own)
{
	if (!tree || nr > max)
		return nr;
	is_own &= tree->refs == 1;
	*nr_own += is_own;
	nr = list(tree->left, is_own, to, nr, max, nr_own);
	if (nr < max)
		to[nr] = tree->map;
	return list(tree->right, is_own, to, nr < max ? nr + 1 : max + 1, max, nr_own);
}

u32 map_tree__list(const struct map_tree *tree, const struct map **to, u32 max, u32 *nr_own)
{
	*nr_own = 0;
	return list(tree, true, to, 0, max, nr_own);
}
