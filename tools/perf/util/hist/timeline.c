// SPDX-License-Identifier: GPL-2.0
#include "util/hist/timeline.h"

#include <errno.h>
#include <stdlib.h>

/* All stacks stand on this one "command", which no row shows. */
#define ANY_COMM ""

struct timeline *timeline__new(void)
{
	struct timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->trees = stack_trees__new(1);
	if (t->trees)
		return t;
	free(t);
	return NULL;
}

void timeline__delete(struct timeline *t)
{
	if (!t)
		return;
	for (u32 i = 0; i < t->nr_rows; i++)
		free(t->row[i].sample);
	free(t->row);
	hash_index__exit(&t->rows);
	free(t->stack);
	free(t->function);
	stack_trees__delete(t->trees);
	free(t);
}

static struct timeline_row *add_row(struct timeline *t, u32 hash)
{
	if (t->nr_rows == t->alloc_rows) {
		u32 alloc = t->alloc_rows ? 2 * t->alloc_rows : 64;
		struct timeline_row *more = reallocarray(t->row, alloc, sizeof(*more));

		if (!more)
			return NULL;
		t->row = more;
		t->alloc_rows = alloc;
	}
	if (hash_index__add(&t->rows, hash, t->nr_rows))
		return NULL;
	return &t->row[t->nr_rows++];
}

static struct timeline_row *row_of(struct timeline *t, u32 event, const struct thread *thread)
{
	u32 hash = hash_mix(hash_mix(event, thread->pid), thread->tid), i = hash;
	const struct hash_slot *slot;
	struct timeline_row *row;

	while ((slot = hash_index__next(&t->rows, hash, &i))) {
		row = &t->row[slot->place - 1];
		if (row->event == event && row->pid == thread->pid && row->tid == thread->tid)
			return row;
	}
	row = add_row(t, hash);
	if (row)
		*row = (struct timeline_row){ .event = event, .pid = thread->pid, .tid = thread->tid };
	return row;
}

static int append(struct timeline_row *row, const struct timeline_sample *sample)
{
	if (row->nr == row->alloc) {
		size_t alloc = row->alloc ? 2 * row->alloc : 16;
		struct timeline_sample *more = reallocarray(row->sample, alloc, sizeof(*more));

		if (!more)
			return -ENOMEM;
		row->sample = more;
		row->alloc = alloc;
	}
	row->sample[row->nr++] = *sample;
	row->total_period += sample->period;
	return 0;
}

int timeline__add(struct timeline *t, u32 event, const struct thread *thread, const struct callchain *chain, const struct location *loc,
		  u64 time, u64 period)
{
	struct timeline_sample sample = {
		.time = time,
		.period = period,
		.node = stack_tree__add(stack_trees__at(t->trees, 0), ANY_COMM, chain, loc, period, 1),
	};
	struct timeline_row *row = row_of(t, event, thread);

	if (!sample.node || !row || append(row, &sample))
		return -ENOMEM;
	row->comm = thread->comm;
	if (time && (!t->first || time < t->first))
		t->first = time;
	if (time > t->last)
		t->last = time;
	return 0;
}

/* The tables are made from the tree: stacks in its order, found again by the addresses of their nodes. */
struct numbers {
	const struct stack_node **node; /* by number of the stack */
	struct hash_index nodes, functions;
};

static u32 number_of(const struct numbers *n, const struct stack_node *node)
{
	u32 hash = hash_mix(0, (uintptr_t)node), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&n->nodes, hash, &i))) {
		if (n->node[slot->place - 1] == node)
			return slot->place - 1;
	}
	return TIMELINE_NONE;
}

/* Returns TIMELINE_NONE without memory. The array has room for a function of each stack. */
static u32 function_of(struct timeline *t, struct numbers *n, const struct stack_node *node)
{
	u32 hash = hash_mix(hash_mix(hash_mix(0, (uintptr_t)node->name), (uintptr_t)node->dso), node->kind), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&n->functions, hash, &i))) {
		const struct timeline_function *f = &t->function[slot->place - 1];

		if (f->name == node->name && f->dso == node->dso && f->kind == node->kind)
			return slot->place - 1;
	}
	if (hash_index__add(&n->functions, hash, t->nr_functions))
		return TIMELINE_NONE;
	t->function[t->nr_functions] = (struct timeline_function){ node->name, node->dso, node->kind };
	return t->nr_functions++;
}

static int add_stack(struct timeline *t, struct numbers *n, const struct stack_node *node)
{
	u32 function = function_of(t, n, node);

	if (function == TIMELINE_NONE || hash_index__add(&n->nodes, hash_mix(0, (uintptr_t)node), t->nr_stacks))
		return -ENOMEM;
	n->node[t->nr_stacks] = node;
	/* Callers come before callees, so the caller has its number. */
	t->stack[t->nr_stacks++] = (struct timeline_stack){ number_of(n, node->parent), function };
	return 0;
}

static int fill_tables(struct timeline *t, struct numbers *n)
{
	const struct stack_node *root = stack_tree__root(stack_trees__at(t->trees, 0)), *node;
	size_t nr = 0;

	for (node = root; (node = stack_node__next(node)); nr++)
		;
	t->stack = calloc(nr ?: 1, sizeof(*t->stack));
	t->function = calloc(nr ?: 1, sizeof(*t->function));
	n->node = calloc(nr ?: 1, sizeof(*n->node));
	if (!t->stack || !t->function || !n->node)
		return -ENOMEM;
	for (node = root; (node = stack_node__next(node));) {
		if (node->kind != STACK_COMM && add_stack(t, n, node))
			return -ENOMEM;
	}
	for (u32 i = 0; i < t->nr_rows; i++) {
		for (size_t k = 0; k < t->row[i].nr; k++)
			t->row[i].sample[k].stack = number_of(n, t->row[i].sample[k].node);
	}
	return 0;
}

static bool is_sorted(const struct timeline_row *row)
{
	for (size_t i = 1; i < row->nr; i++) {
		if (row->sample[i].time < row->sample[i - 1].time)
			return false;
	}
	return true;
}

static int sample__cmp(const void *a, const void *b)
{
	const struct timeline_sample *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static int row__cmp(const void *a, const void *b)
{
	const struct timeline_row *x = a, *y = b;

	if (x->total_period != y->total_period)
		return x->total_period < y->total_period ? 1 : -1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

int timeline__end(struct timeline *t)
{
	struct numbers numbers = {};
	int ret;

	stack_trees__sort(t->trees);
	ret = fill_tables(t, &numbers);
	free(numbers.node);
	hash_index__exit(&numbers.nodes);
	hash_index__exit(&numbers.functions);
	for (u32 i = 0; i < t->nr_rows; i++) {
		/* A session delivers samples by time, except those of a file that is not in rounds. */
		if (!is_sorted(&t->row[i]))
			qsort(t->row[i].sample, t->row[i].nr, sizeof(*t->row[i].sample), sample__cmp);
	}
	hash_index__exit(&t->rows); /* it numbers rows in their old order */
	if (t->nr_rows)
		qsort(t->row, t->nr_rows, sizeof(*t->row), row__cmp);
	return ret;
}
