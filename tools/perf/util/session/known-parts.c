// SPDX-License-Identifier: GPL-2.0
#include "util/session/known-parts.h"

#include <stdlib.h>

#include "util/lib/number-table.h"

struct part { /* all zero: unknown */
	u64 maps_version, token;
};

struct known_parts {
	struct number_table places, callers;
};

struct known_parts *known_parts__new(void)
{
	struct known_parts *parts = calloc(1, sizeof(*parts));

	if (parts)
		parts->places.size = parts->callers.size = sizeof(struct part);
	return parts;
}

void known_parts__delete(struct known_parts *parts)
{
	if (!parts)
		return;
	number_table__exit(&parts->places);
	number_table__exit(&parts->callers);
	free(parts);
}

void known_parts__prefetch(const struct known_parts *parts, const struct sample_parts *sample)
{
	__builtin_prefetch(number_table__find(&parts->places, sample->place));
	__builtin_prefetch(number_table__find(&parts->callers, sample->callers));
}

static u64 token_of(const struct number_table *table, u32 number, u64 maps_version)
{
	const struct part *part = number_table__find(table, number);

	return part && part->maps_version == maps_version ? part->token : 0;
}

static bool has(const struct number_table *table, u32 number)
{
	const struct part *part = number_table__find(table, number);

	return part && part->token;
}

bool known_parts__has(const struct known_parts *parts, const struct sample_parts *sample)
{
	return has(&parts->places, sample->place) && has(&parts->callers, sample->callers);
}

bool known_parts__find(const struct known_parts *parts, const struct sample_parts *sample, const struct part_versions *versions,
		       struct session_tokens *tokens)
{
	tokens->place = token_of(&parts->places, sample->place, versions->place);
	tokens->callers = token_of(&parts->callers, sample->callers, versions->callers);
	return tokens->place && tokens->callers;
}

static void set(struct number_table *table, u32 number, u64 maps_version, u64 token)
{
	struct part *part = number_table__get(table, number);

	if (part)
		*part = (struct part){ maps_version, token };
}

void known_parts__set(struct known_parts *parts, const struct sample_parts *sample, const struct part_versions *versions,
		      const struct session_tokens *tokens)
{
	set(&parts->places, sample->place, versions->place, tokens->place);
	set(&parts->callers, sample->callers, versions->callers, tokens->callers);
}

void known_parts__forget(struct known_parts *parts)
{
	number_table__empty(&parts->places);
	number_table__empty(&parts->callers);
}
