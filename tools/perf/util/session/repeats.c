// SPDX-License-Identifier: GPL-2.0
#include "util/session/repeats.h"

#include <stdlib.h>

#include "util/lib/hash-index.h"
#include "util/session/number-table.h"

#define MAX_REPEATS (1 << 20)

struct place { /* all zero: nothing is known */
	u64 maps_version;
	u64 where; /* the function's address in our memory, or the place's number, which is less than any */
};

struct repeat {
	struct repeat_key key;
	u64 token; /* 0: they are to be delivered */
	u64 nr, period;
};

struct repeats {
	repeats_cb cb;
	void *data;
	struct number_table places, repeats; /* repeats: from 1 on */
	struct hash_index index; /* of repeats */
};

struct repeats *repeats__new(repeats_cb cb, void *data)
{
	struct repeats *repeats = calloc(1, sizeof(*repeats));

	if (!repeats)
		return NULL;
	repeats->cb = cb;
	repeats->data = data;
	repeats->places.size = sizeof(struct place);
	repeats->repeats.size = sizeof(struct repeat);
	return repeats;
}

void repeats__delete(struct repeats *repeats)
{
	if (!repeats)
		return;
	number_table__exit(&repeats->places);
	number_table__exit(&repeats->repeats);
	hash_index__exit(&repeats->index);
	free(repeats);
}

u64 repeats__where(const struct repeats *repeats, u32 number, u64 maps_version)
{
	const struct place *place = number_table__find(&repeats->places, number);

	return place && place->maps_version == maps_version ? place->where : 0;
}

u64 repeats__set_where(struct repeats *repeats, u32 number, u64 maps_version, const struct symbol *function)
{
	struct place *place = number_table__get(&repeats->places, number);
	u64 where = function ? (uintptr_t)function : number;

	if (place)
		*place = (struct place){ maps_version, where };
	return where;
}

void repeats__prefetch_place(const struct repeats *repeats, u32 number)
{
	__builtin_prefetch(number_table__find(&repeats->places, number));
}

u32 repeat_key__hash(const struct repeat_key *key)
{
	return hash_mix(hash_mix((uintptr_t)key->comm, key->where), key->callers);
}

static struct repeat *repeat_at(const struct repeats *repeats, u32 number)
{
	return number_table__find(&repeats->repeats, number);
}

void repeats__prefetch_slot(const struct repeats *repeats, const struct repeat_key *key)
{
	hash_index__prefetch(&repeats->index, key->hash);
}

void repeats__prefetch(const struct repeats *repeats, const struct repeat_key *key)
{
	u32 i = key->hash;
	const struct hash_slot *slot = hash_index__next(&repeats->index, key->hash, &i);

	if (!slot)
		return;
	__builtin_prefetch(repeat_at(repeats, slot->place));
	__builtin_prefetch(&repeat_at(repeats, slot->place)->period);
}

static u32 find(const struct repeats *repeats, const struct repeat_key *key)
{
	const struct hash_slot *slot;
	u32 i = key->hash;

	while ((slot = hash_index__next(&repeats->index, key->hash, &i))) {
		const struct repeat_key *found = &repeat_at(repeats, slot->place)->key;

		if (found->callers == key->callers && found->where == key->where && found->comm == key->comm)
			return slot->place;
	}
	return 0;
}

u32 repeats__find(const struct repeats *repeats, const struct repeat_key *key)
{
	u32 number = find(repeats, key);
	const struct repeat *repeat = number ? repeat_at(repeats, number) : NULL;

	return repeat && repeat->token && repeat->key.maps_version == key->maps_version ? number : 0;
}

void repeats__count(struct repeats *repeats, u32 number, u64 period)
{
	struct repeat *repeat = repeat_at(repeats, number);

	repeat->nr++;
	repeat->period += period;
}

static void tell(struct repeats *repeats, const struct repeat *repeat)
{
	if (repeat->nr)
		repeats->cb(repeat->token, repeat->nr, repeat->period, repeats->data);
}

static struct repeat *add(struct repeats *repeats, const struct repeat_key *key)
{
	u32 number = repeats->repeats.end ?: 1;
	struct repeat *repeat;

	if (repeats__are_full(repeats))
		return NULL;
	repeat = number_table__get(&repeats->repeats, number);
	/* the index counts from 1 on, too */
	return repeat && !hash_index__add(&repeats->index, key->hash, number - 1) ? repeat : NULL;
}

void repeats__set(struct repeats *repeats, const struct repeat_key *key, u64 token)
{
	u32 number = find(repeats, key);
	struct repeat *repeat;

	if (!number && !token)
		return;
	repeat = number ? repeat_at(repeats, number) : add(repeats, key);
	if (!repeat)
		return;
	tell(repeats, repeat);
	*repeat = (struct repeat){ .key = *key, .token = token };
}

bool repeats__are_full(const struct repeats *repeats)
{
	return repeats->repeats.end >= MAX_REPEATS;
}

void repeats__flush(struct repeats *repeats)
{
	for (u32 i = 0; i < repeats->repeats.end; i++)
		tell(repeats, repeat_at(repeats, i));
	number_table__empty(&repeats->repeats);
	number_table__empty(&repeats->places);
	hash_index__empty(&repeats->index);
}
