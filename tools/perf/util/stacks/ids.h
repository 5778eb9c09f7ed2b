/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ids of the parts of samples: a place, and its callers. Consumers index what they keep for a part by its id. Parts with equal ids are
 * equal; the converse need not hold. Not for several threads.
 *
 * Parts have numbers by their words alone (numbers.h). Which code they are depends on the maps of the process, too, so a number has an
 * id for each version of the maps that it was seen with; versions that have long not been seen are forgotten.
 */
#ifndef PERF_STACKS_IDS_H
#define PERF_STACKS_IDS_H

#include <stdbool.h>
#include "util/stacks/numbers.h"

struct stack_ids { /* from 1 on; 0: none */
	u32 place, callers;
};

struct stack_index; /* from numbers and versions of maps to ids */

/* ignores_maps: nobody looks up places, so what they are depends on no process. NULL: no memory */
struct stack_index *stack_index__new(bool ignores_maps);
void stack_index__delete(struct stack_index *index);

/* Prefetch what the functions below will read. */
void stack_index__prefetch(const struct stack_index *index, const struct stack_parts *parts);

struct stack_maps { /* versions of the kernel's maps alone, and with those of a process */
	u64 kernel, process;
};

struct stack_found {
	struct stack_ids ids; /* 0: no memory */
	/*
	 * The consumer's, which it set last for samples with these callers; of samples without a callchain, with this place. 0: it did not. What
	 * it did may be for other samples.
	 */
	u32 handle;
	bool has_identity; /* it is set */
	u64 identity; /* of the place's code, once it is set; 0: unknown */
};

void stack_index__find(struct stack_index *index, const struct stack_parts *parts, const struct stack_maps *maps, struct stack_found *found);
/* For the parts with these ids; nothing happens if they were forgotten. identity: 0 or above 32 bits */
void stack_index__set_identity(struct stack_index *index, const struct stack_parts *parts, const struct stack_ids *ids, u64 identity);
void stack_index__set_handle(struct stack_index *index, const struct stack_parts *parts, const struct stack_ids *ids, u32 handle);

/* Numbers and ids begin anew. */
void stack_index__empty(struct stack_index *index);

#endif
