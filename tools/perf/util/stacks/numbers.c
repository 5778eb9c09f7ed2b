// SPDX-License-Identifier: GPL-2.0
#include "util/stacks/numbers.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/wide-hash.h"
#include "util/perfdata/record.h"

/* As many first; more if most come again after numbering began anew, see widen(). */
#define FIRST_CALLERS (1 << 16)
#define MAX_CALLERS (1 << 18)
#define FIRST_PLACES (1 << 17) /* with few callers only: callers begin anew with the places */
#define FEW_CALLERS 1024
#define MAX_PLACES (1 << 20)

#define KERNEL_ONLY (1u << (PAIR_VALUE_BITS - 1)) /* in the value of callers, besides their number */

#define NR_BITS (1 << 21)

struct room { /* for parts of a kind */
	u32 max; /* how many may have numbers */
	u32 nr_again; /* parts that most likely had a number before numbering began anew */
	u64 *had_number; /* NR_BITS, one for parts with some hashes: set if any of them had a number before */
	u32 nr_had; /* bits that are set */
};

struct stack_numbers {
	u32 *no_callers; /* by event: the value of callers for samples with neither callchain nor raw data; 0: not given yet */
	u32 nr_events;
	struct wide_hash_keys *keys;
	/* The words of callers are not kept: the hash stands for them, and for what else tells them apart. */
	struct pair_table callers, places;
	u32 nr_callers, nr_places;
	struct room callers_room, places_room;
	bool full;
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
	numbers->callers_room = room(FIRST_CALLERS);
	numbers->places_room = room(FIRST_PLACES);
	if (numbers->no_callers && numbers->keys && numbers->callers_room.had_number && numbers->places_room.had_number)
		return numbers;
	stack_numbers__delete(numbers);
	return NULL;
}

void stack_numbers__delete(struct stack_numbers *numbers)
{
	if (!numbers)
		return;
	pair_table__exit(&numbers->callers);
	pair_table__exit(&numbers->places);
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
	pair_table__empty(&numbers->callers);
	pair_table__empty(&numbers->places);
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

static struct pair pair_of(struct wide_hash hash)
{
	return (struct pair){ hash.half[0], hash.half[1] >> PAIR_VALUE_BITS };
}

static struct pair key_of_callers(const struct stack_numbers *numbers, const struct stack_words *w)
{
	const u64 leaf = w->leaf < w->nr ? w->leaf : 2; /* else it is 0 or 1 */
	const u64 apart[] = { (u64)w->event << 42 | (u64)w->nr << 26 | (u64)w->nr_raw << 10 | w->cpumode << 2 | leaf, has_marker(w) ? w->word[0] : 0 };
	u32 from = first_caller(w);

	return pair_of(wide_hash__of(numbers->keys, w->word + from, w->nr - from, apart));
}

/* An address, and what is apart from it; for a chain that starts elsewhere the hash of all that. The last bit tells which. */
static struct pair key_of_place(const struct stack_numbers *numbers, const struct stack_words *w)
{
	const u64 event_and_mode = w->event << 4 | w->cpumode << 1, words[] = { w->ip, w->leaf_word }, apart[] = { event_and_mode, 0 };
	struct pair key;

	_Static_assert(PERF_RECORD_MISC_CPUMODE_MASK < 1 << 3 && (u64)STACK_MAX_EVENTS << 4 <= 1ULL << PAIR_SECOND_BITS, "it fits");
	if (!w->apart)
		return (struct pair){ w->ip, event_and_mode };
	key = pair_of(wide_hash__of(numbers->keys, words, 2, apart));
	key.second |= 1;
	return key;
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
static u32 bit_of(u64 hash)
{
	return hash_mix(hash_mix(hash, 0), 0) % NR_BITS;
}

static void fetch_bit(const struct room *room, u64 hash)
{
	__builtin_prefetch(&room->had_number[bit_of(hash) / 64]);
}

static void note_number(struct room *room, u64 hash)
{
	u64 *word = &room->had_number[bit_of(hash) / 64], bit = 1ULL << bit_of(hash) % 64;

	room->nr_again += !!(*word & bit);
	room->nr_had += !(*word & bit);
	*word |= bit;
}

/* Returns their value; 0: there is no more room. */
static u32 add_callers(struct stack_numbers *numbers, const struct stack_words *w)
{
	u32 value = (numbers->nr_callers + 1) | (w->no_chain || is_kernel_only(w) ? KERNEL_ONLY : 0);

	_Static_assert(MAX_CALLERS < KERNEL_ONLY && MAX_PLACES < 1 << PAIR_VALUE_BITS, "numbers fit");
	if (numbers->nr_callers == numbers->callers_room.max || pair_table__add(&numbers->callers, w->callers, w->callers_hash, value))
		return 0;
	note_number(&numbers->callers_room, w->callers_hash);
	numbers->nr_callers++;
	return value;
}

static u32 number_no_callers(struct stack_numbers *numbers, u32 event)
{
	u32 *number = &numbers->no_callers[event];

	if (!*number && numbers->nr_callers < numbers->callers_room.max)
		*number = ++numbers->nr_callers | KERNEL_ONLY;
	return *number;
}

static u32 add_place(struct stack_numbers *numbers, const struct stack_words *w)
{
	u32 max = numbers->nr_callers <= FEW_CALLERS ? numbers->places_room.max : MAX_PLACES;

	if (numbers->nr_places >= max || pair_table__add(&numbers->places, w->place, w->place_hash, numbers->nr_places + 1))
		return 0;
	note_number(&numbers->places_room, w->place_hash);
	return ++numbers->nr_places;
}

void stack_numbers__begin(const struct stack_numbers *numbers, struct stack_words *w)
{
	w->place = key_of_place(numbers, w);
	w->place_hash = pair__hash(w->place);
	pair_table__prefetch(&numbers->places, w->place_hash);
	if (!w->nr)
		return;
	w->callers = key_of_callers(numbers, w);
	w->callers_hash = pair__hash(w->callers);
	pair_table__prefetch(&numbers->callers, w->callers_hash);
}

/* What new ones need */
void stack_numbers__fetch(const struct stack_numbers *numbers, const struct stack_words *w)
{
	if (pair_table__may_lack(&numbers->places, w->place_hash))
		fetch_bit(&numbers->places_room, w->place_hash);
	if (w->nr && pair_table__may_lack(&numbers->callers, w->callers_hash))
		fetch_bit(&numbers->callers_room, w->callers_hash);
}

void stack_numbers__find(struct stack_numbers *numbers, const struct stack_words *w, struct stack_parts *parts)
{
	u32 callers = !w->nr ? number_no_callers(numbers, w->event) :
			       pair_table__find(&numbers->callers, w->callers, w->callers_hash) ?: add_callers(numbers, w);

	*parts = (struct stack_parts){
		.ip = w->ip, .callers = callers & (KERNEL_ONLY - 1), .event = w->event, .no_chain = w->no_chain, .apart = w->apart,
		.kernel_callers = !!(callers & KERNEL_ONLY), .cpumode = w->cpumode,
	};
	if (callers)
		parts->place = pair_table__find(&numbers->places, w->place, w->place_hash) ?: add_place(numbers, w);
	if (!parts->place)
		numbers->full = true;
}
