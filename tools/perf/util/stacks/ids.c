// SPDX-License-Identifier: GPL-2.0
#include "util/stacks/ids.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/number-table.h"
#include "util/perfdata/record.h"

#define MAX_OTHERS 7 /* versions that are kept of a number besides the last one */
#define LAST_OTHER ((1 << 28) - 1)

struct part { /* of a number, with some maps */
	u64 maps_version;
	u32 id; /* 0: not seen */
	u32 handle;
	u32 next : 28; /* index of the same number with other maps, which was seen before; 0: there is none */
	/* of the last one: */
	u32 nr_others : 4;
	u32 newest; /* the largest version of a process that the number was seen with */
	u64 identity; /* of a place. 0: not set, UNKNOWN: it has none */
};

#define UNKNOWN 1

#define CALLERS_SIZE offsetof(struct part, identity) /* callers have none */

struct part_table {
	struct number_table last; /* by number, with the maps that it was seen with last: most have one version */
	struct number_table others; /* from 1 on */
	u32 last_id;
};

struct stack_index {
	bool ignores_maps;
	struct part_table places, callers;
};

struct stack_index *stack_index__new(bool ignores_maps)
{
	struct stack_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->ignores_maps = ignores_maps;
	index->places.last.size = index->places.others.size = sizeof(struct part);
	index->callers.last.size = index->callers.others.size = CALLERS_SIZE;
	return index;
}

static void exit_table(struct part_table *table)
{
	number_table__exit(&table->last);
	number_table__exit(&table->others);
}

void stack_index__delete(struct stack_index *index)
{
	if (!index)
		return;
	exit_table(&index->places);
	exit_table(&index->callers);
	free(index);
}

void stack_index__prefetch(const struct stack_index *index, const struct stack_parts *parts)
{
	__builtin_prefetch(number_table__find(&index->places.last, parts->place));
	__builtin_prefetch(number_table__find(&index->callers.last, parts->callers));
}

static void copy(const struct part_table *table, struct part *to, const struct part *from)
{
	to->maps_version = from->maps_version;
	to->id = from->id;
	to->handle = from->handle;
	if (table->last.size > CALLERS_SIZE)
		to->identity = from->identity;
}

/* Let a part of other maps be the last one, and keep that one in its place. */
static void swap(const struct part_table *table, struct part *last, struct part *other)
{
	struct part kept;

	copy(table, &kept, last);
	copy(table, last, other);
	copy(table, other, &kept);
}

/* false: it was not seen, or is forgotten. */
static bool find_other(struct part_table *table, struct part *last, u64 version)
{
	u32 i = last->next;

	if ((u32)version > last->newest) /* of a process that is new to it: none of the others has it */
		return false;
	while (i) {
		struct part *other = number_table__find(&table->others, i);

		if (other->maps_version == version) {
			swap(table, last, other);
			return true;
		}
		i = other->next;
	}
	return false;
}

/* Keep the last one among the others, if need be in place of the one before. Without memory it is forgotten. */
static void keep_other(struct part_table *table, struct part *last)
{
	u32 i = last->nr_others < MAX_OTHERS ? table->others.end ?: 1 : last->next;
	struct part *other = i <= LAST_OTHER ? number_table__get(&table->others, i) : NULL;

	if (!other)
		return;
	copy(table, other, last);
	if (i == last->next)
		return;
	other->next = last->next;
	last->next = i;
	last->nr_others++;
}

static struct part *find_version(struct part_table *table, u32 number, u64 version)
{
	struct part *last = number_table__get(&table->last, number);

	if (!last || (last->id && find_other(table, last, version)))
		return last;
	if (last->id)
		keep_other(table, last);
	last->maps_version = version;
	last->id = ++table->last_id;
	last->handle = 0;
	if ((u32)version > last->newest)
		last->newest = version;
	if (table->last.size > CALLERS_SIZE)
		last->identity = 0;
	return last;
}

static inline struct part *find_part(struct part_table *table, u32 number, u64 version)
{
	struct part *last = number_table__find(&table->last, number);

	return last && last->id && last->maps_version == version ? last : find_version(table, number, version);
}

void stack_index__find(struct stack_index *index, const struct stack_parts *parts, const struct stack_maps *maps, struct stack_found *found)
{
	const bool of_kernel = (parts->cpumode == PERF_RECORD_MISC_KERNEL && !parts->apart) || index->ignores_maps;
	const struct part *place = find_part(&index->places, parts->place, of_kernel ? maps->kernel : maps->process);
	const struct part *callers = find_part(&index->callers, parts->callers, parts->kernel_callers ? maps->kernel : maps->process);

	if (place && callers)
		*found = (struct stack_found){ { place->id, callers->id }, parts->no_chain ? place->handle : callers->handle,
					       place->identity, place->identity == UNKNOWN ? 0 : place->identity };
	else
		*found = (struct stack_found){};
}

/* NULL: it is forgotten. The number may have been seen with other maps since. */
static struct part *part_of_id(const struct part_table *table, u32 number, u32 id)
{
	struct part *part = number_table__find(&table->last, number);

	while (part && part->id != id)
		part = part->next ? number_table__find(&table->others, part->next) : NULL;
	return part;
}

void stack_index__set_identity(struct stack_index *index, const struct stack_parts *parts, const struct stack_ids *ids, u64 identity)
{
	struct part *place = part_of_id(&index->places, parts->place, ids->place);

	if (place)
		place->identity = identity ?: UNKNOWN;
}

void stack_index__set_handle(struct stack_index *index, const struct stack_parts *parts, const struct stack_ids *ids, u32 handle)
{
	struct part *part = parts->no_chain ? part_of_id(&index->places, parts->place, ids->place) :
					      part_of_id(&index->callers, parts->callers, ids->callers);

	if (part)
		part->handle = handle;
}

static void empty(struct part_table *table)
{
	number_table__empty(&table->last);
	number_table__empty(&table->others);
	table->last_id = 0;
}

void stack_index__empty(struct stack_index *index)
{
	empty(&index->places);
	empty(&index->callers);
}
