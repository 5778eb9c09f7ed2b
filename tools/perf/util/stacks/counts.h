/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts samples by the ids of their parts (ids.h), for a consumer to whom samples with the same ids and owner differ in nothing but
 * their periods. It adds the first sample of a kind to its own tables and keeps here where; the others are only counted.
 */
#ifndef PERF_STACKS_COUNTS_H
#define PERF_STACKS_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/types.h"

struct stack_counts;

/* Gets what was counted for a position since the last call. stack_counts__count() calls it, too, before a sum gets too large. */
typedef void (*stack_counts_cb)(u64 where, u64 nr, u64 period, void *data);

struct stack_counts *stack_counts__new(stack_counts_cb cb, void *data); /* NULL: no memory */
void stack_counts__delete(struct stack_counts *counts); /* without calling cb; counts may be NULL */

struct sample_kind {
	const void *owner; /* equal for what is of one kind: such as the name in struct thread */
	u64 place; /* stack_place() */
	u32 callers; /* id */
	u32 nr; /* private to counts.c */
};

/* Places of code with the same identity are of one kind; identity 0: a place is one of its own. */
static inline u64 stack_place(u32 place, u64 identity)
{
	return identity ?: place; /* no identity is as low as an id */
}

/*
 * Kinds have handles, from 1 on, each of which is given only once; 0: none. The functions below look first at the kind with the
 * handle hint, which may be no longer valid: most callers call only one function.
 *
 * The handle of a kind, valid until the next flush; 0: add the sample, and keep where.
 */
u32 stack_counts__find(const struct stack_counts *counts, const struct sample_kind *kind, u32 hint);

#define STACK_SEARCHES 64

struct kind_search {
	struct sample_kind kind;
	u32 hint, found; /* found: what __find() returns */
	u32 hash; /* private to counts.c */
};

/* Find at most STACK_SEARCHES kinds, which wait for memory together. */
void stack_counts__find_all(const struct stack_counts *counts, struct kind_search *search, size_t nr);
void stack_counts__count(struct stack_counts *counts, u32 handle, u64 period);
/* Keep where samples of this kind are counted, not 0. Without memory, or if it is full, nothing is kept. */
void stack_counts__keep(struct stack_counts *counts, const struct sample_kind *kind, u64 where);

/* true: no more kinds can be kept until a flush. */
bool stack_counts__are_full(const struct stack_counts *counts);
/* Call cb for all counted samples, and forget all kinds. */
void stack_counts__flush(struct stack_counts *counts);

#endif
