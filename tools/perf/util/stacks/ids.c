// SPDX-License-Identifier: GPL-2.0
#include "util/stacks/ids.h"

#include <stdlib.h>

#include "util/lib/number-table.h"

struct callers { /* all zero: not seen */
	u64 maps_version;
	u32 id;
};

struct place {
	u64 maps_version;
	const struct symbol *function;
	u32 id;
	bool has_function;
};

/* Of each number with the maps that it was last seen with: most have one version. */
struct stack_index {
	struct number_table places, callers;
	u32 last_place, last_callers; /* ids */
};

struct stack_index *stack_index__new(void)
{
	struct stack_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->places.size = sizeof(struct place);
	index->callers.size = sizeof(struct callers);
	return index;
}

void stack_index__delete(struct stack_index *index)
{
	if (!index)
		return;
	number_table__exit(&index->places);
	number_table__exit(&index->callers);
	free(index);
}

void stack_index__prefetch(const struct stack_index *index, u32 place, u32 callers)
{
	__builtin_prefetch(number_table__find(&index->places, place));
	__builtin_prefetch(number_table__find(&index->callers, callers));
}

static struct place *new_place(struct stack_index *index, const struct stack_numbers *numbers)
{
	struct place *place = number_table__get(&index->places, numbers->place);

	if (place)
		*place = (struct place){ .maps_version = numbers->place_version, .id = ++index->last_place };
	return place;
}

static struct callers *new_callers(struct stack_index *index, const struct stack_numbers *numbers)
{
	struct callers *callers = number_table__get(&index->callers, numbers->callers);

	if (callers)
		*callers = (struct callers){ numbers->callers_version, ++index->last_callers };
	return callers;
}

void stack_index__find(struct stack_index *index, const struct stack_numbers *numbers, struct stack_found *found)
{
	const struct place *place = number_table__find(&index->places, numbers->place);
	const struct callers *callers = number_table__find(&index->callers, numbers->callers);

	if (!place || place->maps_version != numbers->place_version || !place->id)
		place = new_place(index, numbers);
	if (!callers || callers->maps_version != numbers->callers_version || !callers->id)
		callers = new_callers(index, numbers);
	if (place && callers)
		*found = (struct stack_found){ { place->id, callers->id }, place->function, place->has_function };
	else
		*found = (struct stack_found){};
}

void stack_index__set_function(struct stack_index *index, u32 number, const struct symbol *function)
{
	struct place *place = number_table__find(&index->places, number);

	if (!place)
		return;
	place->function = function;
	place->has_function = true;
}

void stack_index__empty(struct stack_index *index)
{
	number_table__empty(&index->places);
	number_table__empty(&index->callers);
	index->last_place = index->last_callers = 0;
}
