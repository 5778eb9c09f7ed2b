// SPDX-License-Identifier: GPL-2.0
#include "util/session/repeats.h"

#include <stdlib.h>

#include "util/session/number-table.h"

struct repeat { /* of a kind; all zero: nothing is known of it */
	struct repeat_state state;
	u64 token;
	u64 nr, period;
};

struct function { /* that kinds with the same callers were in last; all zero: none is known */
	struct repeat_state state;
	u64 token;
	const struct symbol *sym;
};

struct repeats {
	repeats_cb cb;
	void *data;
	struct number_table kinds, functions;
};

struct repeats *repeats__new(repeats_cb cb, void *data)
{
	struct repeats *repeats = calloc(1, sizeof(*repeats));

	if (!repeats)
		return NULL;
	repeats->cb = cb;
	repeats->data = data;
	repeats->kinds.size = sizeof(struct repeat);
	repeats->functions.size = sizeof(struct function);
	return repeats;
}

static struct repeat *kind_at(const struct repeats *repeats, u32 kind)
{
	return number_table__find(&repeats->kinds, kind);
}

static struct function *function_at(const struct repeats *repeats, u32 callers)
{
	return number_table__find(&repeats->functions, callers);
}

void repeats__delete(struct repeats *repeats)
{
	if (!repeats)
		return;
	number_table__exit(&repeats->kinds);
	number_table__exit(&repeats->functions);
	free(repeats);
}

void repeats__prefetch(const struct repeats *repeats, u32 kind)
{
	const struct repeat *repeat = kind_at(repeats, kind);

	if (!repeat)
		return;
	__builtin_prefetch(repeat);
	__builtin_prefetch(&repeat->period);
}

bool repeats__knows(const struct repeats *repeats, u32 kind)
{
	const struct repeat *repeat = kind_at(repeats, kind);

	return repeat && repeat->token;
}

void repeats__prefetch_callers(const struct repeats *repeats, u32 callers)
{
	__builtin_prefetch(function_at(repeats, callers));
}

bool repeats__knows_callers(const struct repeats *repeats, u32 callers)
{
	const struct function *function = function_at(repeats, callers);

	return function && function->token;
}

static bool is_state(const struct repeat_state *a, const struct repeat_state *b)
{
	return a->comm == b->comm && a->maps_version == b->maps_version;
}

bool repeats__count(struct repeats *repeats, const struct kind_of_sample *sample, const struct repeat_state *state)
{
	struct repeat *repeat = kind_at(repeats, sample->kind);

	if (!repeat || !repeat->token || !is_state(&repeat->state, state))
		return false;
	repeat->nr++;
	repeat->period += sample->period;
	return true;
}

bool repeats__count_in_function(struct repeats *repeats, const struct kind_of_sample *sample, const struct repeat_state *state,
				const struct symbol *sym)
{
	const struct function *function = function_at(repeats, sample->callers);

	if (!function || !function->token || function->sym != sym || !is_state(&function->state, state))
		return false;
	repeats__set(repeats, sample->kind, state, function->token);
	return repeats__count(repeats, sample, state);
}

static void tell(struct repeats *repeats, const struct repeat *repeat)
{
	if (repeat->nr)
		repeats->cb(repeat->token, repeat->nr, repeat->period, repeats->data);
}

void repeats__set(struct repeats *repeats, u32 kind, const struct repeat_state *state, u64 token)
{
	struct repeat *repeat = token || repeats__knows(repeats, kind) ? number_table__get(&repeats->kinds, kind) : NULL;

	if (!repeat)
		return;
	tell(repeats, repeat);
	*repeat = (struct repeat){ .state = *state, .token = token };
}

void repeats__set_function(struct repeats *repeats, u32 callers, const struct repeat_state *state, const struct symbol *sym, u64 token)
{
	struct function *function = number_table__get(&repeats->functions, callers);

	if (function)
		*function = (struct function){ .state = *state, .token = token, .sym = sym };
}

void repeats__flush(struct repeats *repeats)
{
	for (u32 i = 0; i < repeats->kinds.end; i++)
		tell(repeats, kind_at(repeats, i));
	number_table__empty(&repeats->kinds);
	number_table__empty(&repeats->functions);
}
