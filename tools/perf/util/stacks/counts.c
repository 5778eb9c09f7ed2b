// SPDX-License-Identifier: GPL-2.0
#include "util/stacks/counts.h"

#include <stdlib.h>

#include "util/lib/number-table.h"

#define MAX_OTHERS (1 << 20)

struct counted {
	struct sample_kind kind;
	u64 where; /* 0: unused */
	u64 nr, period;
};

/* Most callers call only one function. Indexed by callers: the first of each; the others by their arrival, from 1 on. */
struct stack_counts {
	stack_counts_cb cb;
	void *data;
	struct number_table firsts, others;
	struct hash_index index; /* of others */
};

#define FIRST ((u32)1 << 31) /* bit in a handle: the index is into firsts */

struct stack_counts *stack_counts__new(stack_counts_cb cb, void *data)
{
	struct stack_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return NULL;
	counts->cb = cb;
	counts->data = data;
	counts->firsts.size = counts->others.size = sizeof(struct counted);
	return counts;
}

void stack_counts__delete(struct stack_counts *counts)
{
	if (!counts)
		return;
	number_table__exit(&counts->firsts);
	number_table__exit(&counts->others);
	hash_index__exit(&counts->index);
	free(counts);
}

static struct counted *first_at(const struct stack_counts *counts, u32 callers)
{
	return number_table__find(&counts->firsts, callers);
}

static struct counted *counted_at(const struct stack_counts *counts, u32 number)
{
	return number & FIRST ? first_at(counts, number & ~FIRST) : number_table__find(&counts->others, number);
}

void stack_counts__prefetch_callers(const struct stack_counts *counts, u32 callers)
{
	const struct counted *first = first_at(counts, callers);

	__builtin_prefetch(first);
	__builtin_prefetch(first ? &first->period : NULL);
}

static bool is_of(const struct counted *counted, const struct sample_kind *kind)
{
	return counted->kind.callers == kind->callers && counted->kind.place == kind->place && counted->kind.owner == kind->owner;
}

void stack_counts__prefetch_slot(const struct stack_counts *counts, const struct sample_kind *kind)
{
	const struct counted *first = first_at(counts, kind->callers);

	if (kind->place && first && !is_of(first, kind))
		hash_index__prefetch(&counts->index, kind->hash);
}

void stack_counts__prefetch(const struct stack_counts *counts, const struct sample_kind *kind)
{
	const struct counted *first = first_at(counts, kind->callers), *other;
	const struct hash_slot *slot;
	u32 i = kind->hash;

	if (!first || is_of(first, kind))
		return;
	slot = hash_index__next(&counts->index, kind->hash, &i);
	other = slot ? counted_at(counts, slot->place) : NULL;
	__builtin_prefetch(other);
	__builtin_prefetch(other ? &other->period : NULL);
}

static u32 find_other(const struct stack_counts *counts, const struct sample_kind *kind)
{
	u32 i = kind->hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&counts->index, kind->hash, &i))) {
		if (is_of(counted_at(counts, slot->place), kind))
			return slot->place;
	}
	return 0;
}

u32 stack_counts__find(const struct stack_counts *counts, const struct sample_kind *kind)
{
	const struct counted *first = first_at(counts, kind->callers);

	if (!first)
		return 0;
	return is_of(first, kind) ? FIRST | kind->callers : find_other(counts, kind);
}


void stack_counts__count(struct stack_counts *counts, u32 number, u64 period)
{
	struct counted *counted = counted_at(counts, number);

	counted->nr++;
	counted->period += period;
}

static void tell(struct stack_counts *counts, const struct counted *counted)
{
	if (counted->nr)
		counts->cb(counted->where, counted->nr, counted->period, counts->data);
}

static struct counted *add_other(struct stack_counts *counts, const struct sample_kind *kind)
{
	u32 number = counts->others.end ?: 1;
	struct counted *counted;

	if (stack_counts__are_full(counts))
		return NULL;
	counted = number_table__get(&counts->others, number);
	/* the index counts from 1 on, too */
	return counted && !hash_index__add(&counts->index, kind->hash, number - 1) ? counted : NULL;
}

static struct counted *add(struct stack_counts *counts, const struct sample_kind *kind)
{
	const struct counted *first = first_at(counts, kind->callers);

	if (first && first->kind.callers)
		return add_other(counts, kind);
	return kind->callers < FIRST ? number_table__get(&counts->firsts, kind->callers) : NULL;
}

void stack_counts__keep(struct stack_counts *counts, const struct sample_kind *kind, u64 where)
{
	struct counted *counted = add(counts, kind);

	if (counted)
		*counted = (struct counted){ .kind = *kind, .where = where };
}

bool stack_counts__are_full(const struct stack_counts *counts)
{
	return counts->others.end >= MAX_OTHERS;
}

static void flush(struct stack_counts *counts, struct number_table *table)
{
	for (u32 i = 0; i < table->end; i++)
		tell(counts, number_table__find(table, i));
	number_table__empty(table);
}

void stack_counts__flush(struct stack_counts *counts)
{
	flush(counts, &counts->firsts);
	flush(counts, &counts->others);
	hash_index__empty(&counts->index);
}
