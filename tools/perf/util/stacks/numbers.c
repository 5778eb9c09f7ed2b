// SPDX-License-Identifier: GPL-2.0
#include "util/stacks/numbers.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"
#include "util/lib/pages.h"
#include "util/perfdata/record.h"

#define ARENA_SIZE (32 << 20) /* bytes of callers */
#define MAX_PLACES (1 << 20)

struct callers {
	u32 number, event;
	u16 nr, nr_raw, leaf;
	u8 cpumode;
	bool kernel_only;
	u64 word[]; /* as in struct stack_words; the word at leaf is not used */
};

struct place {
	u64 ip, leaf_word;
	u32 event;
	u8 cpumode;
	bool apart;
};

struct stack_numbers {
	u32 *no_callers; /* by event: the number of callers for samples with neither callchain nor raw data; 0: not given yet */
	u32 nr_events;
	char *arena;
	size_t used;
	struct place *place; /* that of number i + 1 */
	u32 nr_callers, nr_places;
	bool full;
	struct hash_index callers; /* offsets in the arena in units of 8 bytes */
	struct hash_index places; /* indices into place[] */
};

struct stack_numbers *stack_numbers__new(u32 nr_events)
{
	struct stack_numbers *numbers = calloc(1, sizeof(*numbers));

	if (!numbers)
		return NULL;
	numbers->nr_events = nr_events;
	numbers->no_callers = calloc(nr_events, sizeof(*numbers->no_callers));
	numbers->arena = pages__new(ARENA_SIZE);
	numbers->place = pages__new(MAX_PLACES * sizeof(*numbers->place));
	if (numbers->no_callers && numbers->arena && numbers->place)
		return numbers;
	stack_numbers__delete(numbers);
	return NULL;
}

void stack_numbers__delete(struct stack_numbers *numbers)
{
	if (!numbers)
		return;
	hash_index__exit(&numbers->callers);
	hash_index__exit(&numbers->places);
	pages__delete(numbers->place, MAX_PLACES * sizeof(*numbers->place));
	pages__delete(numbers->arena, ARENA_SIZE);
	free(numbers->no_callers);
	free(numbers);
}

bool stack_numbers__are_full(const struct stack_numbers *numbers)
{
	return numbers->full;
}

void stack_numbers__empty(struct stack_numbers *numbers)
{
	numbers->used = 0;
	numbers->nr_callers = numbers->nr_places = 0;
	numbers->full = false;
	memset(numbers->no_callers, 0, numbers->nr_events * sizeof(*numbers->no_callers));
	hash_index__empty(&numbers->callers);
	hash_index__empty(&numbers->places);
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

/* Two words at a time, so that they need not wait for each other. */
static u32 hash_callers(const struct stack_words *w)
{
	u64 a = w->event << 8 | w->cpumode, b = has_marker(w) ? w->word[0] : w->nr;
	u32 i = first_caller(w);

	for (; i + 1 < w->nr; i += 2) {
		a = hash_mix(a, w->word[i]);
		b = hash_mix(b, w->word[i + 1]);
	}
	if (i < w->nr)
		a = hash_mix(a, w->word[i]);
	return hash_mix(a, b);
}

static struct callers *callers_at(const struct stack_numbers *numbers, const struct hash_slot *slot)
{
	return (struct callers *)(numbers->arena + (size_t)(slot->place - 1) * sizeof(u64));
}

/* The words of most chains end in the second cache line. */
static void fetch_callers(const struct stack_numbers *numbers, const struct stack_words *w)
{
	u32 i = w->callers_hash;
	const struct hash_slot *slot = hash_index__next(&numbers->callers, w->callers_hash, &i);

	if (!slot)
		return;
	__builtin_prefetch(callers_at(numbers, slot));
	__builtin_prefetch(&callers_at(numbers, slot)->word[8]);
}

static bool is_same(const struct callers *callers, const struct stack_words *w)
{
	u32 from = first_caller(w);

	return callers->nr == w->nr && callers->nr_raw == w->nr_raw && callers->leaf == w->leaf && callers->event == w->event &&
	       callers->cpumode == w->cpumode && (!has_marker(w) || callers->word[0] == w->word[0]) &&
	       !memcmp(callers->word + from, w->word + from, (w->nr - from) * sizeof(u64));
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

static const struct callers *add_callers(struct stack_numbers *numbers, const struct stack_words *w)
{
	struct callers *callers = (struct callers *)(numbers->arena + numbers->used);
	size_t words = w->nr * sizeof(u64);

	if (sizeof(*callers) + words > ARENA_SIZE - numbers->used ||
	    hash_index__add(&numbers->callers, w->callers_hash, numbers->used / sizeof(u64)))
		return NULL;
	*callers = (struct callers){ .number = ++numbers->nr_callers, .event = w->event, .nr = w->nr, .nr_raw = w->nr_raw,
				     .leaf = w->leaf, .cpumode = w->cpumode, .kernel_only = w->no_chain || is_kernel_only(w) };
	memcpy(callers->word, w->word, words);
	numbers->used += sizeof(*callers) + words;
	return callers;
}

static const struct callers *find_callers(const struct stack_numbers *numbers, const struct stack_words *w)
{
	const struct hash_slot *slot;
	u32 i = w->callers_hash;

	while ((slot = hash_index__next(&numbers->callers, w->callers_hash, &i))) {
		if (is_same(callers_at(numbers, slot), w))
			return callers_at(numbers, slot);
	}
	return NULL;
}

static u32 number_no_callers(struct stack_numbers *numbers, u32 event)
{
	u32 *number = &numbers->no_callers[event];

	if (!*number)
		*number = ++numbers->nr_callers;
	return *number;
}

static u32 hash_place(const struct stack_words *w)
{
	return hash_mix(hash_mix(w->event << 8 | w->cpumode, w->ip), w->leaf_word);
}

static bool is_place(const struct place *place, const struct stack_words *w)
{
	return place->ip == w->ip && place->leaf_word == w->leaf_word && place->event == w->event && place->cpumode == w->cpumode &&
	       place->apart == w->apart;
}

static u32 find_place(const struct stack_numbers *numbers, const struct stack_words *w)
{
	const struct hash_slot *slot;
	u32 i = w->place_hash;

	while ((slot = hash_index__next(&numbers->places, w->place_hash, &i))) {
		if (is_place(&numbers->place[slot->place - 1], w))
			return slot->place;
	}
	return 0;
}

static u32 add_place(struct stack_numbers *numbers, const struct stack_words *w)
{
	if (numbers->nr_places == MAX_PLACES || hash_index__add(&numbers->places, w->place_hash, numbers->nr_places))
		return 0;
	numbers->place[numbers->nr_places] = (struct place){ .ip = w->ip, .leaf_word = w->leaf_word, .event = w->event,
							     .cpumode = w->cpumode, .apart = w->apart };
	return ++numbers->nr_places;
}

void stack_numbers__begin(const struct stack_numbers *numbers, struct stack_words *w)
{
	w->place_hash = hash_place(w);
	hash_index__prefetch(&numbers->places, w->place_hash);
	if (!w->nr)
		return;
	w->callers_hash = hash_callers(w);
	hash_index__prefetch(&numbers->callers, w->callers_hash);
}

void stack_numbers__fetch(const struct stack_numbers *numbers, const struct stack_words *w)
{
	u32 i = w->place_hash;
	const struct hash_slot *slot = hash_index__next(&numbers->places, w->place_hash, &i);

	if (slot)
		__builtin_prefetch(&numbers->place[slot->place - 1]);
	if (w->nr)
		fetch_callers(numbers, w);
}

void stack_numbers__find(struct stack_numbers *numbers, const struct stack_words *w, struct stack_parts *parts)
{
	const struct callers *callers = w->nr ? find_callers(numbers, w) ?: add_callers(numbers, w) : NULL;

	*parts = (struct stack_parts){
		.ip = w->ip, .callers = callers ? callers->number : w->nr ? 0 : number_no_callers(numbers, w->event), .event = w->event,
		.no_chain = w->no_chain, .apart = w->apart, .kernel_callers = !callers || callers->kernel_only, .cpumode = w->cpumode,
	};
	if (parts->callers)
		parts->place = find_place(numbers, w) ?: add_place(numbers, w);
	if (!parts->place)
		numbers->full = true;
}
