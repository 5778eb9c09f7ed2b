// SPDX-License-Identifier: GPL-2.0
/*
 * What --timeline puts into the page. Instead of stacks an event has, beside "name", "samples", "period" and "unit":
 * {"first":ns, "cell":ns, "column":ns, "cells":n, "timeless":n, "hidden":n, "texts":[...],
 *  "nodes":{"parent":[...], "kind":[...], "name":[...], "dso":[...], "value":[...], "self":[...], "samples":[...]},
 *  "threads":[{"name":..., "pid":n, "tid":n, "cell":[...], "len":[...], "node":[...], "weight":[...], "nr":[...]}]}
 * Nodes are numbered from 1 on, 0 is the root; name and dso are indices of texts, -1 is none. A cell is told by its distance from the one
 * before. The columns of a thread are those of struct time_point; len is left out if it is always 0.
 *
 * The page is bounded: stacks with a small part of the period end at the caller that has more of it, threads behind the first
 * are one row, and cells get wider until there are no more than MAX_POINTS. Events share these bounds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "ui/profile/profile-json.h"
#include "ui/profile/time-cells.h"
#include "util/lib/advice.h"

#define MAX_COLUMNS 600
#define MIN_COLUMNS 4 /* before stacks are cut rather than columns widened */
#define MAX_POINTS 300000
#define MIN_POINTS 32 /* of an event, if there are many: enough for one row of all threads with their states */
#define MAX_NODES 50000
#define MIN_NODES 16
#define MAX_THREADS 500 /* of an event, if the points suffice */

struct listed { /* a node of the page */
	const struct stack_node *node;
	u32 parent;  /* number */
	u64 value;   /* for nodes of states whose stacks are cut */
	bool is_cut;
};

struct page { /* one event of it */
	const struct profile_event *event;
	u32 max_points, max_nodes;
	u32 nr_threads; /* that are not among the others */
	u64 min;	/* nodes with a smaller total are cut */
	u64 nr_hidden;
	struct listed *list; /* by number, less 1 */
	u32 nr, alloc;
	struct hash_index nodes;
	const char **text;
	u32 nr_texts, alloc_texts;
	struct hash_index texts;
	bool no_memory;
};

static void page__exit(struct page *p)
{
	free(p->list);
	free(p->text);
	hash_index__exit(&p->nodes);
	hash_index__exit(&p->texts);
}

/* --- the nodes --- */

/* A state that was cut off with its stack is told by its caller's number. */
static u32 hash_of(const struct stack_node *node, u32 parent, bool is_cut)
{
	return is_cut ? hash_mix(hash_mix(1, (uintptr_t)node->name), parent) : hash_mix(0, (uintptr_t)node);
}

/* Its number; 0: it is not listed. */
static u32 find_node(const struct page *p, const struct stack_node *node, u32 parent, bool is_cut)
{
	u32 hash = hash_of(node, parent, is_cut), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&p->nodes, hash, &i))) {
		const struct listed *l = &p->list[slot->place - 1];

		if (l->is_cut == is_cut && (is_cut ? l->node->name == node->name && l->parent == parent : l->node == node))
			return slot->place;
	}
	return 0;
}

static u32 add_node(struct page *p, const struct stack_node *node, u32 parent, bool is_cut)
{
	u32 alloc = p->alloc ? 2 * p->alloc : 1024;
	struct listed *more;

	if (p->nr == p->alloc) {
		more = alloc > p->nr ? reallocarray(p->list, alloc, sizeof(*more)) : NULL;
		p->no_memory |= !more;
		if (!more)
			return 0;
		p->list = more;
		p->alloc = alloc;
	}
	if (hash_index__add(&p->nodes, hash_of(node, parent, is_cut), p->nr)) {
		p->no_memory = true;
		return 0;
	}
	p->list[p->nr++] = (struct listed){ .node = node, .parent = parent, .is_cut = is_cut };
	return p->nr;
}

/* List all nodes that have at least p->min. -E2BIG: there are too many. */
static int list_nodes(struct page *p)
{
	const struct stack_node *root = stack_tree__root(p->event->stacks), *node = root;

	p->nr = 0;
	p->nr_hidden = 0;
	hash_index__empty(&p->nodes);
	while ((node = stack_node__next(node)) && !p->no_memory) {
		if (node->total_period < p->min)
			p->nr_hidden++;
		else if (p->nr == p->max_nodes)
			return -E2BIG;
		else
			add_node(p, node, node->parent == root ? 0 : find_node(p, node->parent, 0, false), false);
	}
	return p->no_memory ? -ENOMEM : 0;
}

/* Of time_cells_opts */
static u32 place_of(void *data, const struct stack_node *node)
{
	const struct stack_node *kept = node;
	struct page *p = data;
	u32 number;

	while (kept->parent && kept->total_period < p->min)
		kept = kept->parent;
	number = kept->parent ? find_node(p, kept, 0, false) : 0;
	if (kept == node || node->kind != STACK_STATE)
		return number;
	/* Keep the state, which is the color of the time. */
	for (const struct stack_node *other = kept->child; other; other = other->next) {
		if (other->kind == STACK_STATE && other->name == node->name && other->total_period >= p->min)
			return find_node(p, other, 0, false);
	}
	return find_node(p, node, number, true) ?: add_node(p, node, number, true);
}

/* --- how much of all fits --- */

static u32 event_index(const struct profile *profile, const struct profile_event *event)
{
	u32 i = 0;

	while (profile->timeline_event[i] != event)
		i++;
	return i;
}

static u64 nr_columns(const struct time_cells *cells, u64 column)
{
	return column ? (cells->end - cells->first) / column + 1 : 0;
}

/* Columns of this width, with as many cells as fit: a single column may be one cell. */
static int fill_columns(struct time_cells *cells, const struct profile *profile, u64 column, struct time_cells_opts *opts)
{
	static const u32 cells_a_column[] = { 50, 25, 10, 1 };
	size_t nr = ARRAY_SIZE(cells_a_column) - (nr_columns(cells, column) > 1);
	int ret = 0;

	for (size_t i = 0; i < nr; i++) {
		opts->cell = column / cells_a_column[i] ?: 1;
		ret = time_cells__fill(cells, profile, opts);
		if (ret != -E2BIG)
			break;
	}
	return ret;
}

/* Widen the columns until the points fit. -E2BIG: they do not with a few columns either. */
static int fill_cells(struct page *p, struct time_cells *cells, const struct profile *profile, u64 *column)
{
	struct time_cells_opts opts = {
		.max = p->max_points,
		.event = event_index(profile, p->event),
		.nr_rows = p->nr_threads,
		.place = place_of,
		.data = p,
	};
	u32 min_columns = p->min > p->event->total_period ? 1 : MIN_COLUMNS;
	int ret;

	for (*column = time_cells__column(cells, profile->time_quantum, MAX_COLUMNS);;) {
		u64 wider = time_cells__wider(*column);

		ret = fill_columns(cells, profile, *column, &opts);
		if (ret != -E2BIG || nr_columns(cells, wider) < min_columns || nr_columns(cells, *column) == 1)
			return p->no_memory ? -ENOMEM : ret;
		*column = wider;
	}
}

/* Cut more stacks, down to none, then more threads. false: nothing is left to cut. */
static bool cut_more(struct page *p)
{
	if (p->min <= p->event->total_period && p->min < UINT64_MAX) {
		p->min = p->min > UINT64_MAX / 4 ? UINT64_MAX : 4 * p->min ?: p->event->total_period >> 20 ?: 1;
		return true;
	}
	if (!p->nr_threads)
		return false;
	p->nr_threads /= 4;
	return true;
}

static int fill(struct page *p, struct time_cells *cells, const struct profile *profile, u64 *column)
{
	int ret;

	do {
		ret = list_nodes(p);
		if (!ret && cells->first)
			ret = fill_cells(p, cells, profile, column);
	} while (ret == -E2BIG && cut_more(p));
	return ret;
}

/* --- output --- */

static u32 text_index(struct page *p, const char *text)
{
	u32 hash = hash_mix(0, (uintptr_t)text), i = hash, alloc = p->alloc_texts ? 2 * p->alloc_texts : 256;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&p->texts, hash, &i))) {
		if (p->text[slot->place - 1] == text)
			return slot->place - 1;
	}
	if (p->nr_texts == p->alloc_texts) {
		const char **more = reallocarray(p->text, alloc, sizeof(*more));

		p->no_memory |= !more;
		if (!more)
			return 0;
		p->text = more;
		p->alloc_texts = alloc;
	}
	p->no_memory |= hash_index__add(&p->texts, hash, p->nr_texts) != 0;
	p->text[p->nr_texts] = text;
	return p->nr_texts++;
}

static s64 parent_of(struct page *p, const struct listed *l)
{
	return l->parent;
}

static s64 kind_of(struct page *p, const struct listed *l)
{
	return profile_node__kind(l->node);
}

static s64 name_of(struct page *p, const struct listed *l)
{
	return text_index(p, l->node->name);
}

static s64 dso_of(struct page *p, const struct listed *l)
{
	return l->node->dso ? (s64)text_index(p, l->node->dso->short_name) : -1;
}

static s64 value_of(struct page *p, const struct listed *l)
{
	return l->is_cut ? l->value : l->node->total_period;
}

static s64 self_of(struct page *p, const struct listed *l)
{
	return l->is_cut ? l->value : l->node->period;
}

static s64 samples_of(struct page *p, const struct listed *l)
{
	return l->is_cut ? 0 : l->node->nr;
}

static void put_nodes(yajl_gen gen, struct page *p)
{
	static const struct {
		const char *name;
		s64 (*of)(struct page *p, const struct listed *l);
	} columns[] = { { "parent", parent_of }, { "kind", kind_of }, { "name", name_of }, { "dso", dso_of },
			{ "value", value_of }, { "self", self_of }, { "samples", samples_of } };

	json__string(gen, "nodes");
	yajl_gen_map_open(gen);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		json__string(gen, columns[i].name);
		yajl_gen_array_open(gen);
		for (u32 k = 0; k < p->nr; k++)
			yajl_gen_integer(gen, columns[i].of(p, &p->list[k]));
		yajl_gen_array_close(gen);
	}
	yajl_gen_map_close(gen);
	json__string(gen, "texts");
	yajl_gen_array_open(gen);
	for (u32 i = 0; i < p->nr_texts; i++)
		json__string(gen, p->text[i]);
	yajl_gen_array_close(gen);
}

enum column { COLUMN_CELL, COLUMN_LEN, COLUMN_NODE, COLUMN_WEIGHT, COLUMN_NR, NR_COLUMNS };

static u64 value_at(const struct time_point *p, u32 i, enum column column)
{
	switch (column) {
	case COLUMN_CELL: return p[i].cell - (i ? p[i - 1].cell : 0);
	case COLUMN_LEN: return p[i].len;
	case COLUMN_NODE: return p[i].place;
	case COLUMN_WEIGHT: return p[i].weight;
	default: return p[i].nr;
	}
}

static void put_points(yajl_gen gen, const struct time_point *points, u32 nr)
{
	static const char *const names[NR_COLUMNS] = { "cell", "len", "node", "weight", "nr" };
	bool has_len = false;

	for (u32 i = 0; i < nr; i++)
		has_len |= points[i].len != 0;
	for (enum column c = 0; c < NR_COLUMNS; c++) {
		if (c == COLUMN_LEN && !has_len)
			continue;
		json__string(gen, names[c]);
		yajl_gen_array_open(gen);
		for (u32 i = 0; i < nr; i++)
			json__number(gen, value_at(points, i, c));
		yajl_gen_array_close(gen);
	}
}

static u32 nr_rows(const struct profile *profile, const struct profile_event *event)
{
	u32 nr = 0;

	for (u32 i = 0; i < profile->timeline->nr_rows; i++)
		nr += profile->timeline_event[profile->timeline->row[i].event] == event;
	return nr;
}

static void put_thread(yajl_gen gen, const struct profile *profile, const struct page *p, const struct time_point *points, u32 nr)
{
	u32 nr_others = nr_rows(profile, p->event) - p->nr_threads;
	char others[64];

	yajl_gen_map_open(gen);
	if (points->row != TIME_CELLS_OTHERS) {
		const struct timeline_row *row = &profile->timeline->row[points->row];

		json__put_text(gen, "name", row->comm);
		json__put_number(gen, "pid", row->pid);
		json__put_number(gen, "tid", row->tid);
	} else {
		snprintf(others, sizeof(others), "%u other thread%s", nr_others, plural(nr_others));
		json__put_text(gen, "name", others);
	}
	put_points(gen, points, nr);
	yajl_gen_map_close(gen);
}

static void put_threads(yajl_gen gen, const struct profile *profile, const struct page *p, const struct time_cells *cells)
{
	json__string(gen, "threads");
	yajl_gen_array_open(gen);
	for (u32 i = 0, end; i < cells->nr_points; i = end) {
		for (end = i + 1; end < cells->nr_points && cells->point[end].row == cells->point[i].row; end++)
			;
		put_thread(gen, profile, p, &cells->point[i], end - i);
	}
	yajl_gen_array_close(gen);
}

static void sum_up_cut(struct page *p, const struct time_cells *cells)
{
	for (u32 i = 0; i < cells->nr_points; i++) {
		u32 number = cells->point[i].place;

		if (number && p->list[number - 1].is_cut)
			p->list[number - 1].value += cells->point[i].weight;
	}
}

static int put_event(yajl_gen gen, const struct profile *profile, const struct profile_event *event)
{
	struct page p = {
		.event = event,
		.max_points = MAX_POINTS / profile->nr_events > MIN_POINTS ? MAX_POINTS / profile->nr_events : MIN_POINTS,
		.max_nodes = MAX_NODES / profile->nr_events > MIN_NODES ? MAX_NODES / profile->nr_events : MIN_NODES,
		.nr_threads = MAX_THREADS,
	};
	struct time_cells cells = {};
	u64 column = 0;
	int ret;

	time_cells__measure(&cells, profile);
	ret = fill(&p, &cells, profile, &column);
	if (!ret) {
		sum_up_cut(&p, &cells);
		json__put_number(gen, "first", cells.first);
		json__put_number(gen, "cell", cells.cell ?: 1);
		json__put_number(gen, "column", column ?: 1);
		json__put_number(gen, "cells", cells.nr_cells);
		json__put_number(gen, "timeless", cells.nr_timeless);
		json__put_number(gen, "hidden", p.nr_hidden);
		put_nodes(gen, &p);
		put_threads(gen, profile, &p, &cells);
	}
	time_cells__exit(&cells);
	page__exit(&p);
	return ret || p.no_memory ? -ENOMEM : 0;
}

static int write_data(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	return profile_json__write(profile, put_event, fp, err);
}

int profile__write_timeline(const struct profile *profile, FILE *fp, struct errmsg *err)
{
	return profile_page__write(profile, write_data, fp, err);
}
