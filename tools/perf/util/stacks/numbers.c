// SPDX-License-Identifier: GPL-2.0
#include "util/stacks/numbers.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"
#include "util/lib/number-table.h"
#include "util/lib/pages.h"
#include "util/perfdata/record.h"

/* As many first; more if most come again after numbering began anew, see widen(). */
#define FIRST_CALLERS (1 << 16)
#define MAX_CALLERS (1 << 18)
#define FIRST_PLACES (1 << 17) /* with few callers only: callers begin anew with the places */
#define FEW_CALLERS 1024
#define MAX_PLACES (1 << 20)

/* Their words are not kept: the hash stands for them, and for what else tells them apart. */
struct callers {
	u64 hash, more_hash : 63, kernel_only : 1;
};

struct place {
	u64 ip;
	u32 event : 22; /* see STACK_MAX_EVENTS */
	u32 cpumode : 8;
	u32 leaf; /* index in leaves, if the chain starts elsewhere; 0: it does not */
};

#define NR_BITS (1 << 21)

struct room { /* for parts of a kind */
	u32 max; /* how many may have numbers */
	u32 nr_again; /* parts that most likely had a number before numbering began anew */
	u64 *had_number; /* NR_BITS, one for parts with some hashes: set if any of them had a number before */
	u32 nr_had; /* bits that are set */
};

struct stack_numbers {
	u32 *no_callers; /* by event: the number of callers for samples with neither callchain nor raw data; 0: not given yet */
	u32 nr_events;
	struct wide_hash_keys *keys;
	struct callers *callers; /* those of number i + 1 */
	struct number_table place; /* struct place: that of number i + 1 */
	struct number_table leaves; /* u64: words, from 1 on */
	u32 nr_callers, nr_places;
	struct room callers_room, places_room;
	bool full;
	struct hash_index callers_index, places;
};

static struct room room(u32 max)
{
	return (struct room){ .max = max, .had_number = calloc(1, NR_BITS / 8) };
}

struct stack_numbers *stack_numbers__new(u32 nr_events)
{
	struct stack_numbers *numbers = calloc(1, sizeof(*numbers));

	if (!numbers)
		return NULL;
	numbers->nr_events = nr_events;
	numbers->no_callers = calloc(nr_events, sizeof(*numbers->no_callers));
	numbers->keys = wide_hash_keys__new();
	numbers->callers = pages__new(MAX_CALLERS * sizeof(*numbers->callers));
	numbers->place.size = sizeof(struct place);
	numbers->callers_room = room(FIRST_CALLERS);
	numbers->places_room = room(FIRST_PLACES);
	numbers->leaves.size = sizeof(u64);
	if (numbers->no_callers && numbers->keys && numbers->callers && numbers->callers_room.had_number && numbers->places_room.had_number)
		return numbers;
	stack_numbers__delete(numbers);
	return NULL;
}

void stack_numbers__delete(struct stack_numbers *numbers)
{
	if (!numbers)
		return;
	hash_index__exit(&numbers->callers_index);
	hash_index__exit(&numbers->places);
	number_table__exit(&numbers->leaves);
	number_table__exit(&numbers->place);
	pages__delete(numbers->callers, MAX_CALLERS * sizeof(*numbers->callers));
	wide_hash_keys__delete(numbers->keys);
	free(numbers->callers_room.had_number);
	free(numbers->places_room.had_number);
	free(numbers->no_callers);
	free(numbers);
}

bool stack_numbers__are_full(const struct stack_numbers *numbers)
{
	return numbers->full;
}

/* Callers of processes that end never come again, and their numbers take memory of all who keep tables by them. */
static void widen(struct room *room, u32 nr, u32 limit)
{
	if (nr >= room->max && room->nr_again > nr / 2 && room->max < limit)
		room->max *= 2;
	room->nr_again = 0;
	if (room->nr_had > NR_BITS / 8 * 3) { /* with more, most of those that are new would seem to come again */
		memset(room->had_number, 0, NR_BITS / 8);
		room->nr_had = 0;
	}
}

void stack_numbers__empty(struct stack_numbers *numbers)
{
	widen(&numbers->callers_room, numbers->nr_callers, MAX_CALLERS);
	widen(&numbers->places_room, numbers->nr_places, MAX_PLACES);
	numbers->nr_callers = numbers->nr_places = 0;
	numbers->full = false;
	memset(numbers->no_callers, 0, numbers->nr_events * sizeof(*numbers->no_callers));
	hash_index__empty(&numbers->callers_index);
	hash_index__empty(&numbers->places);
	number_table__empty(&numbers->place);
	number_table__empty(&numbers->leaves);
}

/* Only the marker before the leaf is compared of what precedes the other words. */
static bool has_marker(const struct stack_words *w)
{
	return w->leaf && w->leaf < w->nr;
}

static u32 first_caller(const struct stack_words *w)
{
	return w->leaf < w->nr ? w->leaf + 1 : 0;
}

/* The first half of the hash is also that of the index. */
static struct wide_hash hash_callers(const struct stack_numbers *numbers, const struct stack_words *w)
{
	const u64 leaf = w->leaf < w->nr ? w->leaf : 2; /* else it is 0 or 1 */
	const u64 apart[] = { (u64)w->event << 42 | (u64)w->nr << 26 | (u64)w->nr_raw << 10 | w->cpumode << 2 | leaf, has_marker(w) ? w->word[0] : 0 };
	u32 from = first_caller(w);

	return wide_hash__of(numbers->keys, w->word + from, w->nr - from, apart);
}

/* Are all frames after the first one the kernel's? */
static bool is_kernel_only(const struct stack_words *w)
{
	u32 nr = w->nr - w->nr_raw;

	for (u32 i = 0; i < nr; i++) {
		if (w->word[i] >= (u64)PERF_CONTEXT_MAX && w->word[i] != PERF_CONTEXT_KERNEL && i != w->leaf)
			return false;
	}
	return w->cpumode == PERF_RECORD_MISC_KERNEL || (nr && *w->word == PERF_CONTEXT_KERNEL);
}

/* Consecutive words have consecutive hashes. Mix these, or two such series could set the same bits. */
static void note_number(struct room *room, u64 hash)
{
	u64 mixed = hash_mix(hash_mix(hash, 0), 0), *word = &room->had_number[mixed % NR_BITS / 64], bit = 1ULL << mixed % 64;

	room->nr_again += !!(*word & bit);
	room->nr_had += !(*word & bit);
	*word |= bit;
}

/* Returns their number; 0: there is no more room. */
static u32 add_callers(struct stack_numbers *numbers, const struct stack_words *w)
{
	const struct wide_hash *hash = &w->callers_hash;

	if (numbers->nr_callers == numbers->callers_room.max || hash_index__add(&numbers->callers_index, hash->half[0], numbers->nr_callers))
		return 0;
	numbers->callers[numbers->nr_callers] = (struct callers){ hash->half[0], hash->half[1], w->no_chain || is_kernel_only(w) };
	note_number(&numbers->callers_room, hash->half[1]);
	return ++numbers->nr_callers;
}

static u32 find_callers(const struct stack_numbers *numbers, const struct stack_words *w)
{
	const struct wide_hash *hash = &w->callers_hash;
	const struct hash_slot *slot;
	u32 i = hash->half[0];

	while ((slot = hash_index__next(&numbers->callers_index, hash->half[0], &i))) {
		const struct callers *callers = &numbers->callers[slot->place - 1];

		if (callers->hash == hash->half[0] && callers->more_hash == (hash->half[1] & ~0ULL >> 1))
			return slot->place;
	}
	return 0;
}

static u32 number_no_callers(struct stack_numbers *numbers, u32 event)
{
	u32 *number = &numbers->no_callers[event];

	if (!*number && numbers->nr_callers < numbers->callers_room.max) {
		numbers->callers[numbers->nr_callers] = (struct callers){ .kernel_only = true };
		*number = ++numbers->nr_callers;
	}
	return *number;
}

static u32 hash_place(const struct stack_words *w)
{
	return hash_mix(hash_mix(w->event << 8 | w->cpumode, w->ip), w->leaf_word);
}

static bool is_place(const struct stack_numbers *numbers, const struct place *place, const struct stack_words *w)
{
	return place->ip == w->ip && place->event == w->event && place->cpumode == w->cpumode && !place->leaf == !w->apart &&
	       (!w->apart || *(const u64 *)number_table__find(&numbers->leaves, place->leaf) == w->leaf_word);
}

static u32 find_place(const struct stack_numbers *numbers, const struct stack_words *w)
{
	const struct hash_slot *slot;
	u32 i = w->place_hash;

	while ((slot = hash_index__next(&numbers->places, w->place_hash, &i))) {
		if (is_place(numbers, number_table__find(&numbers->place, slot->place - 1), w))
			return slot->place;
	}
	return 0;
}

/* 0: no memory */
static u32 add_leaf(struct stack_numbers *numbers, u64 word)
{
	u32 i = numbers->leaves.end ?: 1;
	u64 *leaf = number_table__get(&numbers->leaves, i);

	if (!leaf)
		return 0;
	*leaf = word;
	return i;
}

static u32 add_place(struct stack_numbers *numbers, const struct stack_words *w)
{
	u32 max = numbers->nr_callers <= FEW_CALLERS ? numbers->places_room.max : MAX_PLACES;
	u32 leaf = w->apart ? add_leaf(numbers, w->leaf_word) : 0;
	struct place *place = numbers->nr_places < max ? number_table__get(&numbers->place, numbers->nr_places) : NULL;

	if (!place || !leaf != !w->apart || hash_index__add(&numbers->places, w->place_hash, numbers->nr_places))
		return 0;
	*place = (struct place){ .ip = w->ip, .event = w->event, .cpumode = w->cpumode, .leaf = leaf };
	note_number(&numbers->places_room, w->place_hash);
	return ++numbers->nr_places;
}

void stack_numbers__begin(const struct stack_numbers *numbers, struct stack_words *w)
{
	w->place_hash = hash_place(w);
	hash_index__prefetch(&numbers->places, w->place_hash);
	if (!w->nr)
		return;
	w->callers_hash = hash_callers(numbers, w);
	hash_index__prefetch(&numbers->callers_index, w->callers_hash.half[0]);
}

void stack_numbers__fetch(const struct stack_numbers *numbers, const struct stack_words *w)
{
	u32 i = w->place_hash;
	const struct hash_slot *slot = hash_index__next(&numbers->places, w->place_hash, &i);

	if (slot)
		__builtin_prefetch(number_table__find(&numbers->place, slot->place - 1));
	if (!w->nr)
		return;
	i = w->callers_hash.half[0];
	slot = hash_index__next(&numbers->callers_index, i, &i);
	if (slot)
		__builtin_prefetch(&numbers->callers[slot->place - 1]);
}

void stack_numbers__find(struct stack_numbers *numbers, const struct stack_words *w, struct stack_parts *parts)
{
	u32 callers = !w->nr ? number_no_callers(numbers, w->event) : find_callers(numbers, w) ?: add_callers(numbers, w);

	*parts = (struct stack_parts){
		.ip = w->ip, .callers = callers, .event = w->event, .no_chain = w->no_chain, .apart = w->apart,
		.kernel_callers = callers && numbers->callers[callers - 1].kernel_only, .cpumode = w->cpumode,
	};
	if (parts->callers)
		parts->place = find_place(numbers, w) ?: add_place(numbers, w);
	if (!parts->place)
		numbers->full = true;
}
