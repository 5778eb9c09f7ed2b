// SPDX-License-Identifier: GPL-2.0
#include "util/hist/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include "util/lib/array.h"

struct timeline *timeline__new(void)
{
	return calloc(1, sizeof(struct timeline));
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
	free(t->place);
	hash_index__exit(&t->places);
	free(t);
}

static struct timeline_row *add_row(struct timeline *t, u32 hash)
{
	if (array__grow(t->row, t->nr_rows, t->alloc_rows))
		return NULL;
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
	if (array__grow(row->sample, row->nr, row->alloc))
		return -ENOMEM;
	row->sample[row->nr++] = *sample;
	row->total_period += sample->period;
	return 0;
}

int timeline__add(struct timeline *t, u32 event, const struct thread *thread, const struct stack_node *node, u64 time, u64 period,
		  u64 nr)
{
	const struct timeline_sample sample = { .time = time, .period = period, .nr = nr, .node = node };
	struct timeline_row *row = row_of(t, event, thread);

	if (!row || append(row, &sample))
		return -ENOMEM;
	row->comm = thread->comm;
	if (time && (!t->first || time < t->first))
		t->first = time;
	if (time > t->last)
		t->last = time;
	return 0;
}

static const struct timeline_place *find_place(const struct timeline *t, const struct stack_node *node)
{
	u32 hash = hash_mix(0, (uintptr_t)node), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&t->places, hash, &i))) {
		if (t->place[slot->place - 1].node == node)
			return &t->place[slot->place - 1];
	}
	return NULL;
}

u32 timeline__stack(const struct timeline *t, const struct timeline_sample *sample)
{
	const struct timeline_place *place = find_place(t, sample->node);

	return place ? place->stack : TIMELINE_NONE;
}

/* While the tables are made from the trees, these find what is there already. */
struct numbers {
	struct hash_index stacks, functions;
};

/* Returns TIMELINE_NONE without memory, as do those below. The arrays have room for what each node may add. */
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

static u32 stack_of(struct timeline *t, struct numbers *n, u32 caller, u32 function)
{
	u32 hash = hash_mix(hash_mix(0, caller), function), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&n->stacks, hash, &i))) {
		const struct timeline_stack *s = &t->stack[slot->place - 1];

		if (s->caller == caller && s->function == function)
			return slot->place - 1;
	}
	if (hash_index__add(&n->stacks, hash, t->nr_stacks))
		return TIMELINE_NONE;
	t->stack[t->nr_stacks] = (struct timeline_stack){ caller, function };
	return t->nr_stacks++;
}

/* Callers come before callees, so the caller has its place. */
static int add_place(struct timeline *t, struct numbers *n, const struct stack_node *node)
{
	const struct timeline_place *caller = node->parent->kind == STACK_COMM ? NULL : find_place(t, node->parent);
	u32 function = function_of(t, n, node), stack;

	if (function == TIMELINE_NONE)
		return -ENOMEM;
	stack = stack_of(t, n, caller ? caller->stack : TIMELINE_NONE, function);
	if (stack == TIMELINE_NONE || hash_index__add(&t->places, hash_mix(0, (uintptr_t)node), t->nr_places))
		return -ENOMEM;
	t->place[t->nr_places++] = (struct timeline_place){ node, stack };
	if (node->depth > t->max_depth)
		t->max_depth = node->depth;
	return 0;
}

static bool is_frame(const struct stack_node *node)
{
	return node->kind != STACK_COMM;
}

static int fill_tables(struct timeline *t, struct numbers *n, const struct stack_trees *trees)
{
	const struct stack_node *node;
	size_t nr = 0;

	for (u32 i = 0; i < stack_trees__nr(trees); i++) {
		for (node = stack_tree__root(stack_trees__at(trees, i)); (node = stack_node__next(node));)
			nr += is_frame(node);
	}
	t->stack = calloc(nr ?: 1, sizeof(*t->stack));
	t->function = calloc(nr ?: 1, sizeof(*t->function));
	t->place = calloc(nr ?: 1, sizeof(*t->place));
	if (!t->stack || !t->function || !t->place)
		return -ENOMEM;
	for (u32 i = 0; i < stack_trees__nr(trees); i++) {
		for (node = stack_tree__root(stack_trees__at(trees, i)); (node = stack_node__next(node));) {
			if (is_frame(node) && add_place(t, n, node))
				return -ENOMEM;
		}
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

int timeline__end(struct timeline *t, const struct stack_trees *trees)
{
	struct numbers numbers = {};
	int ret = fill_tables(t, &numbers, trees);

	hash_index__exit(&numbers.stacks);
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
