// SPDX-License-Identifier: GPL-2.0
#include "util/session/repeats.h"

#include <stdlib.h>

#include "util/lib/hash-index.h"
#include "util/lib/number-table.h"

#define MAX_OTHERS (1 << 20)

struct place { /* all zero: unknown */
	u64 maps_version;
	u64 where; /* the address of the function's struct, or the place's number, which is lower than any address */
};

struct repeat {
	struct repeat_key key;
	u64 token; /* 0: deliver them */
	u64 nr, period;
};

/* Most callers call only one function. */
struct repeats {
	repeats_cb cb;
	void *data;
	struct number_table places;
	struct number_table firsts, others; /* repeats: firsts: the first of some callers, by their number; others: the rest, by arrival, from 1 on */
	struct hash_index index; /* of others */
};

#define FIRST ((u32)1 << 31) /* bit in a handle: the index is into firsts */

struct repeats *repeats__new(repeats_cb cb, void *data)
{
	struct repeats *repeats = calloc(1, sizeof(*repeats));

	if (!repeats)
		return NULL;
	repeats->cb = cb;
	repeats->data = data;
	repeats->places.size = sizeof(struct place);
	repeats->firsts.size = repeats->others.size = sizeof(struct repeat);
	return repeats;
}

void repeats__delete(struct repeats *repeats)
{
	if (!repeats)
		return;
	number_table__exit(&repeats->places);
	number_table__exit(&repeats->firsts);
	number_table__exit(&repeats->others);
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

static struct repeat *first_at(const struct repeats *repeats, u32 callers)
{
	return number_table__find(&repeats->firsts, callers);
}

static struct repeat *repeat_at(const struct repeats *repeats, u32 number)
{
	return number & FIRST ? first_at(repeats, number & ~FIRST) : number_table__find(&repeats->others, number);
}

void repeats__prefetch(const struct repeats *repeats, u32 place, u32 callers)
{
	const struct repeat *first = first_at(repeats, callers);

	__builtin_prefetch(number_table__find(&repeats->places, place));
	__builtin_prefetch(first);
	__builtin_prefetch(first ? &first->period : NULL);
}

static u32 hash(const struct repeat_key *key)
{
	return hash_mix(hash_mix((uintptr_t)key->comm, key->where), key->callers);
}

/* With any maps. */
static bool is_of(const struct repeat *repeat, const struct repeat_key *key)
{
	return repeat->key.callers == key->callers && repeat->key.where == key->where && repeat->key.comm == key->comm;
}

void repeats__prefetch_slot(const struct repeats *repeats, const struct repeat_key *key)
{
	const struct repeat *first = first_at(repeats, key->callers);

	if (key->where && first && !is_of(first, key))
		hash_index__prefetch(&repeats->index, hash(key));
}

void repeats__prefetch_repeat(const struct repeats *repeats, const struct repeat_key *key)
{
	const struct repeat *first = first_at(repeats, key->callers), *other;
	const struct hash_slot *slot;
	u32 i = hash(key);

	if (!first || is_of(first, key))
		return;
	slot = hash_index__next(&repeats->index, hash(key), &i);
	other = slot ? repeat_at(repeats, slot->place) : NULL;
	__builtin_prefetch(other);
	__builtin_prefetch(other ? &other->period : NULL);
}

static u32 find_other(const struct repeats *repeats, const struct repeat_key *key)
{
	u32 wanted = hash(key), i = wanted;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&repeats->index, wanted, &i))) {
		if (is_of(repeat_at(repeats, slot->place), key))
			return slot->place;
	}
	return 0;
}

static u32 find(const struct repeats *repeats, const struct repeat_key *key)
{
	const struct repeat *first = first_at(repeats, key->callers);

	if (!first)
		return 0;
	return is_of(first, key) ? FIRST | key->callers : find_other(repeats, key);
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

static struct repeat *add_other(struct repeats *repeats, const struct repeat_key *key)
{
	u32 number = repeats->others.end ?: 1;
	struct repeat *repeat;

	if (repeats__are_full(repeats))
		return NULL;
	repeat = number_table__get(&repeats->others, number);
	/* the index counts from 1 on, too */
	return repeat && !hash_index__add(&repeats->index, hash(key), number - 1) ? repeat : NULL;
}

static struct repeat *add(struct repeats *repeats, const struct repeat_key *key)
{
	const struct repeat *first = first_at(repeats, key->callers);

	if (first && first->key.callers)
		return add_other(repeats, key);
	return key->callers < FIRST ? number_table__get(&repeats->firsts, key->callers) : NULL;
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
	return repeats->others.end >= MAX_OTHERS;
}

static void flush(struct repeats *repeats, struct number_table *table)
{
	for (u32 i = 0; i < table->end; i++)
		tell(repeats, number_table__find(table, i));
	number_table__empty(table);
}

void repeats__flush(struct repeats *repeats)
{
	flush(repeats, &repeats->firsts);
	flush(repeats, &repeats->others);
	number_table__empty(&repeats->places);
	hash_index__empty(&repeats->index);
}
