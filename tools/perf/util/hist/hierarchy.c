// SPDX-License-Identifier: GPL-2.0
#include "util/hist/hierarchy.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "util/hist/entry-cmp.h"
#include "util/hist/group.h"

u32 hist_layout__levels(const struct hist_layout *layout, struct hist_level level[HIST_MAX_COLUMNS])
{
	u32 nr = 0;

	for (u32 i = 0; i < layout->sort.nr; i++) {
		const struct hist_column *column = hist_column_list__find(&layout->columns, &layout->sort.at[i]);

		if (!column || column->key->kind == HIST_KEY_SUM)
			continue;
		if (!nr || level[nr - 1].column[0]->level != column->level)
			level[nr++].nr = 0;
		level[nr - 1].column[level[nr - 1].nr++] = column;
	}
	return nr;
}

static int cmp_keys(const void *a, const void *b)
{
	return hist_entry__cmp_keys(*(struct hist_entry *const *)a, *(struct hist_entry *const *)b);
}

static int cmp_nodes(const void *pa, const void *pb)
{
	const struct hist_node *a = pa, *b = pb;

	return hist_entry__cmp_output(a->entry, b->entry);
}

/* Copy entry without what it owns. NULL: no memory. */
static struct hist_entry *copy_sums(const struct hist_entry *entry)
{
	const size_t size = hist_entry__size(entry->hists);
	struct hist_entry *sum = malloc(size);

	if (!sum)
		return NULL;
	memcpy(sum, entry, size);
	sum->first_use = sum->last_use = 0;
	sum->chain_depth = 0;
	sum->others = NULL;
	return sum;
}

static void delete_sum(struct hist_entry *sum)
{
	for (u32 i = 0; sum && sum->others && i < sum->others->nr; i++)
		free(sum->others->at[i].entry);
	if (sum)
		free(sum->others);
	free(sum);
}

/* Add the other group members' entries with entry's keys. */
static int add_others(struct hist_entry *sum, const struct hist_entry *entry)
{
	for (u32 i = 0; entry->others && i < entry->others->nr; i++) {
		const struct hist_member *member = &entry->others->at[i];
		struct hist_entry **place = hist_entry__member_place(sum, member->index);

		if (!place)
			return -ENOMEM;
		if (*place)
			hist_entry__merge(*place, member->entry);
		else
			*place = copy_sums(member->entry);
		if (!*place)
			return -ENOMEM;
	}
	return 0;
}

/* Create an entry for a node above entries, with the values of the first one. */
static struct hist_entry *sum_up(struct hist_entry *const *entry, u32 nr)
{
	struct hist_entry *sum = copy_sums(entry[0]);
	int ret = sum ? add_others(sum, entry[0]) : -ENOMEM;

	for (u32 i = 1; i < nr && !ret; i++) {
		hist_entry__merge(sum, entry[i]);
		ret = add_others(sum, entry[i]);
	}
	if (!ret)
		return sum;
	delete_sum(sum);
	return NULL;
}

static u32 nr_alike(struct hist_entry *const *entry, u32 nr, u8 level)
{
	u32 alike = 1;

	while (alike < nr && !hist_entry__cmp_level(entry[0], entry[alike], level))
		alike++;
	return alike;
}

static void collect_node(const void *node, VISIT visit, void *data)
{
	struct hist_node *parent = data;

	if (visit == postorder || visit == leaf)
		parent->child[parent->nr++] = **(struct hist_node *const *)node;
}

static void keep_node(void *node)
{
}

/* Nodes are sorted like entries, which qsort() cannot do (see hist.c). */
static int sort_nodes(struct hist_node *parent)
{
	struct hist_node *unsorted = parent->child;
	u32 nr = parent->nr;
	void *tree = NULL;
	int ret = 0;

	parent->child = calloc(nr, sizeof(*unsorted));
	parent->nr = 0;
	for (u32 i = 0; i < nr && !ret; i++)
		ret = tsearch(&unsorted[i], &tree, cmp_nodes) ? 0 : -ENOMEM;
	if (parent->child && !ret) {
		twalk_r(tree, collect_node, parent);
		free(unsorted);
	} else {
		free(parent->child);
		parent->child = unsorted;
		parent->nr = nr;
		ret = -ENOMEM;
	}
	tdestroy(tree, keep_node);
	return ret;
}

/* Set the entry of a node. A single entry is its own sum, unless it has callchains: sums have none. */
static void set_entry(struct hist_node *node, struct hist_entry **entry, u32 nr)
{
	node->is_sum = !node->leaf && (nr > 1 || entry[0]->chain_depth);
	node->entry = node->is_sum ? sum_up(entry, nr) : entry[0];
}

struct growing {
	const struct hist_level *level;
	u32 nr_levels;
};

/* Build the nodes of entries below parent. Entries are sorted by their keys: those that share a node are neighbours. */
static int grow(const struct growing *g, struct hist_node *parent, struct hist_entry **entry, u32 nr, u8 depth)
{
	bool leaves = depth + 1U == g->nr_levels;
	u8 level = g->level[depth].column[0]->level;
	int ret = 0;

	parent->child = calloc(nr, sizeof(*parent->child));
	if (!parent->child)
		return -ENOMEM;
	for (u32 i = 0; i < nr && !ret;) {
		struct hist_node *node = &parent->child[parent->nr];
		u32 alike = leaves ? 1 : nr_alike(entry + i, nr - i, level);

		node->level = depth;
		node->leaf = leaves;
		set_entry(node, entry + i, alike);
		if (!node->entry)
			return -ENOMEM;
		parent->nr++;
		if (!leaves)
			ret = grow(g, node, entry + i, alike, depth + 1);
		i += alike;
	}
	return ret ?: sort_nodes(parent);
}

int hist_node__init(struct hist_node *root, const struct hists *hists)
{
	struct hist_level level[HIST_MAX_COLUMNS];
	struct growing g = { .level = level, .nr_levels = hist_layout__levels(hists->opts.layout, level) };
	struct hist_entry **entry;
	int ret;

	*root = (struct hist_node){};
	if (!hists->nr_entries || !g.nr_levels)
		return 0;
	entry = calloc(hists->nr_entries, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	memcpy(entry, hists->entry, hists->nr_entries * sizeof(*entry));
	qsort(entry, hists->nr_entries, sizeof(*entry), cmp_keys);
	ret = grow(&g, root, entry, hists->nr_entries, 0);
	free(entry);
	return ret;
}

void hist_node__exit(struct hist_node *root)
{
	for (u32 i = 0; i < root->nr; i++) {
		struct hist_node *node = &root->child[i];

		if (node->is_sum)
			delete_sum(node->entry);
		hist_node__exit(node);
	}
	free(root->child);
	*root = (struct hist_node){};
}
