// SPDX-License-Identifier: GPL-2.0
#include "util/hist/shown-tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"

#define NONE UINT32_MAX

struct sum {
	u64 period, nr;
};

struct branch { /* caller first: a node of the paths and what is below it; else: a path and all that is above it */
	u32 node, from;
	u32 parent, child, next; /* branches; only if caller first */
	struct sum sum;
};

struct item { /* a branch at one of its frames */
	u32 class, node, branch;
};

struct shown_trees {
	const struct paths *paths;
	bool caller_first;
	u32 *class;		   /* by index of a frame in paths: the first frame that is equal, plus 1; 0: not yet looked for */
	struct hash_index classes; /* of the first ones. Most frames are never shown, so they are looked for as the branches are followed. */
	bool no_memory;		   /* for them */
	u32 *depth;		   /* by path: number of its frames. NULL: not made; only trees with the caller first need it. */
	u32 *branch_of;		   /* by path; only valid if that branch has this node */
	struct branch *branch;
	u32 nr, alloc, part; /* part: first branch of the current part */
	struct sum rest;     /* without frames */
	/* during shown_trees__end() */
	struct chain_tree *tree;
	u64 min_period;
	u32 *way; /* frames from the top on */
	u32 nr_way, alloc_way;
};

static struct chain_frame frame_at(const struct shown_trees *all, u32 index)
{
	struct location room;
	const struct location *loc = paths__location(all->paths, index, &room);

	return (struct chain_frame){ .dso = loc->dso, .sym = loc->sym, .addr = loc->addr, .key = FRAME_BY_FUNCTION };
}

/* The first frame that is equal to this one. */
static u32 find_class(struct shown_trees *all, u32 index)
{
	const struct chain_frame frame = frame_at(all, index);
	u32 hash = chain_frame__hash(&frame), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&all->classes, hash, &i))) {
		const struct chain_frame first = frame_at(all, slot->place - 1);

		if (!chain_frame__cmp(&first, &frame))
			return slot->place - 1;
	}
	all->no_memory |= hash_index__add(&all->classes, hash, index) != 0;
	return index;
}

static u32 class_of(struct shown_trees *all, u32 index)
{
	if (!all->class[index])
		all->class[index] = find_class(all, index) + 1;
	return all->class[index];
}

struct shown_trees *shown_trees__new(const struct paths *paths)
{
	struct shown_trees *all = calloc(1, sizeof(*all));
	u32 nr = paths__nr(paths);

	if (!all)
		return NULL;
	all->paths = paths;
	all->class = calloc((size_t)paths__nr_frames(paths) + 1, sizeof(*all->class));
	all->branch_of = calloc((size_t)nr, sizeof(*all->branch_of));
	if (!all->class || !all->branch_of) {
		shown_trees__delete(all);
		return NULL;
	}
	return all;
}

static int make_depths(struct shown_trees *all)
{
	u32 nr = paths__nr(all->paths);

	all->depth = calloc((size_t)nr, sizeof(*all->depth));
	if (!all->depth)
		return -ENOMEM;
	for (u32 i = PATH_ROOT + 1; i < nr; i++) /* parents come first */
		all->depth[i] = all->depth[paths__parent(all->paths, i)] + 1;
	return 0;
}

void shown_trees__delete(struct shown_trees *all)
{
	if (!all)
		return;
	free(all->class);
	hash_index__exit(&all->classes);
	free(all->depth);
	free(all->branch_of);
	free(all->branch);
	free(all->way);
	free(all);
}

void shown_trees__begin(struct shown_trees *all, bool caller_first)
{
	all->caller_first = caller_first;
	all->nr = all->part = 0;
	all->rest = (struct sum){};
}

void shown_trees__begin_part(struct shown_trees *all)
{
	all->part = all->nr;
}

static u32 find_branch(const struct shown_trees *all, u32 node)
{
	u32 branch = all->branch_of[node];

	return branch >= all->part && branch < all->nr && all->branch[branch].node == node ? branch : NONE;
}

static int reserve_branches(struct shown_trees *all, u32 nr)
{
	size_t alloc = all->alloc ?: 1024;
	struct branch *more;

	while (alloc < (size_t)all->nr + nr)
		alloc *= 2;
	if (alloc == all->alloc)
		return 0;
	more = alloc < NONE ? reallocarray(all->branch, alloc, sizeof(*more)) : NULL;
	if (!more)
		return -ENOMEM;
	all->branch = more;
	all->alloc = alloc;
	return 0;
}

/* Add branches for the last nr nodes of a path, the outermost one first. */
static int add_branches(struct shown_trees *all, u32 path, u32 nr, u32 parent, u32 from)
{
	if (reserve_branches(all, nr))
		return -ENOMEM;
	for (u32 i = all->nr + nr; i-- > all->nr; path = paths__parent(all->paths, path)) {
		all->branch[i] = (struct branch){ .node = path, .from = from, .parent = i > all->nr ? i - 1 : parent, .child = NONE, .next = NONE };
		all->branch_of[path] = i;
	}
	all->nr += nr;
	return 0;
}

static int add_below(struct shown_trees *all, u32 path, u32 from, struct sum **sum)
{
	u32 nr_nodes, nr = 0, parent = NONE;

	if (!all->depth && make_depths(all))
		return -ENOMEM;
	if (from >= all->depth[path])
		return 0;
	nr_nodes = all->depth[path] - from;
	for (u32 node = path; nr < nr_nodes; node = paths__parent(all->paths, node), nr++) {
		parent = find_branch(all, node);
		if (parent != NONE)
			break;
	}
	if (parent != NONE && all->branch[parent].from != from)
		return -ERANGE;
	if (nr && add_branches(all, path, nr, parent, from))
		return -ENOMEM;
	*sum = &all->branch[nr ? all->nr - 1 : parent].sum;
	return 0;
}

/* Whole chains mostly differ, others have many callers in common. */
static int add_above(struct shown_trees *all, u32 path, u32 from, struct sum **sum)
{
	u32 found = NONE;

	for (u32 i = from; i && path != PATH_ROOT; i--)
		path = paths__parent(all->paths, path);
	if (path == PATH_ROOT)
		return 0;
	if (from)
		found = find_branch(all, path);
	if (found == NONE) {
		if (reserve_branches(all, 1))
			return -ENOMEM;
		found = all->nr++;
		all->branch[found] = (struct branch){ .node = path, .parent = NONE, .child = NONE, .next = NONE };
		if (from)
			all->branch_of[path] = found;
	}
	*sum = &all->branch[found].sum;
	return 0;
}

int shown_trees__add(struct shown_trees *all, u32 path, u32 from, u64 period, u64 nr)
{
	struct sum *sum = &all->rest;
	int ret = all->caller_first ? add_below(all, path, from, &sum) : add_above(all, path, from, &sum);

	if (ret)
		return ret;
	sum->period += period;
	sum->nr += nr;
	return 0;
}

static void add_sum(struct sum *sum, const struct sum *more)
{
	sum->period += more->period;
	sum->nr += more->nr;
}

static struct item item_at(struct shown_trees *all, u32 node, u32 branch)
{
	return (struct item){ class_of(all, paths__frame(all->paths, node)), node, branch };
}

/* All nodes that come next below those of the items. */
static int step_down(struct shown_trees *all, const struct item *item, u32 nr, struct item **next, u32 *nr_next, struct sum *rest)
{
	u32 n = 0;

	for (u32 i = 0; i < nr; i++) {
		for (u32 c = all->branch[item[i].branch].child; c != NONE; c = all->branch[c].next)
			n++;
	}
	*next = malloc(n * sizeof(**next) + 1);
	*nr_next = 0;
	if (!*next)
		return -ENOMEM;
	for (u32 i = 0; i < nr; i++) {
		add_sum(rest, &all->branch[item[i].branch].sum);
		for (u32 c = all->branch[item[i].branch].child; c != NONE; c = all->branch[c].next) {
			(*next)[(*nr_next)++] = item_at(all, all->branch[c].node, c);
			rest->period -= all->branch[c].sum.period;
			rest->nr -= all->branch[c].sum.nr;
		}
	}
	return 0;
}

/* Lead each item to the node above, in place; those at the outermost frame end. */
static u32 step_up(struct shown_trees *all, struct item *item, u32 nr, struct sum *rest)
{
	u32 left = 0;

	for (u32 i = 0; i < nr; i++) {
		u32 parent = paths__parent(all->paths, item[i].node);

		if (parent == PATH_ROOT)
			add_sum(rest, &all->branch[item[i].branch].sum);
		else
			item[left++] = item_at(all, parent, item[i].branch);
	}
	return left;
}

static int cmp_items(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static int add_to_tree(struct shown_trees *all, const struct sum *sum)
{
	struct chain_run *run = chain_run__new(all->nr_way);
	int ret;

	if (!run)
		return -ENOMEM;
	for (u32 i = 0; i < all->nr_way; i++)
		run->frame[i] = frame_at(all, all->way[i]);
	ret = chain_tree__add(all->tree, run, 0, sum->period, sum->nr);
	chain_run__put(run);
	return ret;
}

static int grow(struct shown_trees *all, struct item *item, u32 nr, struct sum rest);

static int reserve_way(struct shown_trees *all)
{
	u32 alloc = all->alloc_way ? 2 * all->alloc_way : 64, *more = reallocarray(all->way, alloc, sizeof(*more));

	if (!more)
		return -ENOMEM;
	all->way = more;
	all->alloc_way = alloc;
	return 0;
}

/* Follow the branch that begins with these items, which have equal frames. */
static int follow(struct shown_trees *all, struct item *item, u32 nr)
{
	struct item *next = item, *made = NULL;
	struct sum rest = {};
	int ret = 0;

	if (all->nr_way == all->alloc_way && reserve_way(all))
		return -ENOMEM;
	all->way[all->nr_way++] = paths__frame(all->paths, item->node);
	if (all->caller_first) {
		ret = step_down(all, item, nr, &made, &nr, &rest);
		next = made;
	} else {
		nr = step_up(all, item, nr, &rest);
	}
	ret = ret ?: grow(all, next, nr, rest);
	free(made);
	all->nr_way--;
	return ret;
}

/* Add what follows the current way: the items, and rest, which ends here. */
static int grow(struct shown_trees *all, struct item *item, u32 nr, struct sum rest)
{
	int ret = 0;

	qsort(item, nr, sizeof(*item), cmp_items);
	for (u32 i = 0, end; i < nr && !ret; i = end) {
		struct sum sum = {};

		for (end = i; end < nr && item[end].class == item[i].class; end++)
			add_sum(&sum, &all->branch[item[end].branch].sum);
		if (sum.period < all->min_period)
			add_sum(&rest, &sum);
		else
			ret = follow(all, item + i, end - i);
	}
	return ret || !rest.nr ? ret : add_to_tree(all, &rest);
}

/* Branches come after their parents: each has its whole sum when it is added to its parent. */
static void sum_up(struct shown_trees *all)
{
	for (u32 i = all->nr; i-- > 0;) {
		struct branch *branch = &all->branch[i], *parent;

		if (branch->parent == NONE)
			continue;
		parent = &all->branch[branch->parent];
		branch->next = parent->child;
		parent->child = i;
		add_sum(&parent->sum, &branch->sum);
	}
}

int shown_trees__end(struct shown_trees *all, struct chain_tree *tree, u64 min_period)
{
	struct item *item = malloc((size_t)all->nr * sizeof(*item) + 1);
	u32 nr = 0;
	int ret;

	if (!item)
		return -ENOMEM;
	sum_up(all);
	for (u32 i = 0; i < all->nr; i++) {
		if (all->branch[i].parent == NONE)
			item[nr++] = item_at(all, all->branch[i].node, i);
	}
	all->tree = tree;
	all->min_period = min_period;
	all->nr_way = 0;
	ret = grow(all, item, nr, all->rest);
	free(item);
	return all->no_memory ? -ENOMEM : ret;
}
