/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ids of the parts of samples: a place, and its callers. Consumers index what they keep for a part by its id. Parts with equal ids are
 * equal; the converse need not hold. Not for several threads.
 *
 * The thread that reads a file numbers parts by their words alone. Which code they are depends on the maps of the process, too, so a
 * number has an id for each version of the maps that it was seen with.
 */
#ifndef PERF_STACKS_IDS_H
#define PERF_STACKS_IDS_H

#include <stdbool.h>
#include "util/lib/types.h"

struct symbol;

struct stack_ids { /* from 1 on; 0: none */
	u32 place, callers;
};

struct stack_index; /* from numbers and versions of maps to ids */

struct stack_index *stack_index__new(void); /* NULL: no memory */
void stack_index__delete(struct stack_index *index);

/* Prefetch what the functions below will read. */
void stack_index__prefetch(const struct stack_index *index, u32 place, u32 callers);

struct stack_numbers {
	u32 place, callers;
	u64 place_version, callers_version; /* of the maps that they depend on */
};

struct stack_found {
	struct stack_ids ids; /* 0: no memory */
	const struct symbol *function; /* of the place, once it is set; it may be unknown, NULL */
	bool has_function; /* it is set */
};

void stack_index__find(struct stack_index *index, const struct stack_numbers *numbers, struct stack_found *found);
/* For a place that was found with these maps last. */
void stack_index__set_function(struct stack_index *index, u32 place, const struct symbol *function);

/* Numbers and ids begin anew. */
void stack_index__empty(struct stack_index *index);

#endif
