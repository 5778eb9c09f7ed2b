// SPDX-License-Identifier: GPL-2.0
#include "util/session/part-numbers.h"

#include <stdlib.h>
#include <string.h>

#include "util/callchain/callchain.h"
#include "util/lib/hash-index.h"
#include "util/lib/pages.h"
#include "util/stacks/callers.h"

#define ARENA_SIZE (32 << 20) /* bytes of callers */
#define MAX_PLACES (1 << 20)
#define MAX_EVENTS (1 << 22) /* limit of sample_parts.event; samples of further events get no numbers */
/* Items that are processed together in steps: one step prefetches what the next one reads. */
#define BLOCK 64
#define RECORD_AHEAD 192 /* bytes; most records are shorter */
#define CACHE_LINE 64

/* Samples of these types can be compared without decoding them. All fields but thread, CPU, time and period are compared. */
#define ALLOWED_TYPES                                                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define NEEDED_TYPES (PERF_SAMPLE_IP | PERF_SAMPLE_TID)

struct layout { /* positions of words in an event's samples, from the end of the header */
	bool has_parts, has_cpu, has_period, has_chain, has_raw;
	u8 ip, tid, cpu, period, chain; /* chain: without one, that of the raw data, or the number of words */
	u32 no_callers; /* number of the callers of samples that have none; 0: not given yet */
	u64 usual_period; /* of samples without a period */
};

struct callers {
	u32 number, event;
	u16 nr, nr_raw, leaf; /* fit into 16 bits: records are small */
	u8 cpumode;
	u64 word[]; /* nr words: of the callchain, then nr_raw ones of raw data; the word at leaf, if there is one, is not used */
};

struct place {
	u64 ip, leaf_word;
	u32 event;
	u8 cpumode, apart;
};

struct looked_at { /* a sample while it is processed */
	const u64 *word; /* of the callchain, then of the raw data; NULL: it gets no numbers */
	u64 leaf_word;
	u32 callers_hash, place_hash; /* callers_hash: not set if there are no words */
	u16 nr, nr_raw, leaf; /* nr: of all words; leaf == nr: there is none */
};

struct part_numbers {
	const struct session_events *events;
	enum session_detail detail;
	enum session_ids which;
	struct layout *layout; /* one per event */
	char *arena;
	size_t used;
	struct place *place;
	u32 nr_callers, nr_places; /* the last numbers */
	bool full; /* to be emptied by the next call */
	struct hash_index callers, places; /* offsets in the arena in units of 8 bytes, and indices into place[] */
	struct looked_at block[BLOCK];
};

/* perf_event_open(2): the order of what is allowed is IDENTIFIER, IP, TID, TIME, ID, CPU, PERIOD, CALLCHAIN, RAW. */
static struct layout layout_of(const struct perf_event_attr *attr, bool with_raw)
{
	u64 type = attr->sample_type, last = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
	u64 allowed = ALLOWED_TYPES | (with_raw ? PERF_SAMPLE_RAW : 0);
	u8 ip = !!(type & PERF_SAMPLE_IDENTIFIER), chain = __builtin_popcountll(type & ~last);

	if (type & ~allowed || (type & NEEDED_TYPES) != NEEDED_TYPES)
		return (struct layout){};
	return (struct layout){ .has_parts = true, .has_cpu = type & PERF_SAMPLE_CPU, .has_period = type & PERF_SAMPLE_PERIOD,
				.has_chain = type & PERF_SAMPLE_CALLCHAIN, .has_raw = type & PERF_SAMPLE_RAW, .ip = ip, .tid = sample__tid_pos(attr), .cpu = chain - 1 - !!(type & PERF_SAMPLE_PERIOD), .period = chain - 1,
				.chain = chain, .usual_period = attr->sample_period };
}

struct part_numbers *part_numbers__new(const struct session_events *events, enum session_detail detail, enum session_ids which)
{
	struct part_numbers *numbers = calloc(1, sizeof(*numbers));

	if (!numbers)
		return NULL;
	numbers->events = events;
	numbers->detail = detail;
	numbers->which = which;
	numbers->layout = calloc(events->nr, sizeof(*numbers->layout));
	numbers->arena = pages__new(ARENA_SIZE);
	numbers->place = pages__new(MAX_PLACES * sizeof(*numbers->place));
	if (!numbers->layout || !numbers->arena || !numbers->place) {
		part_numbers__delete(numbers);
		return NULL;
	}
	for (u32 i = 0; i < events->nr && i < MAX_EVENTS; i++) {
		const struct layout layout = layout_of(&events->event[i].event->attr, which == SESSION_IDS_OF_RAW || which == SESSION_IDS_BUT_RAW);

		if (layout.has_chain || which != SESSION_IDS_OF_CHAINS)
			numbers->layout[i] = layout;
	}
	return numbers;
}

void part_numbers__delete(struct part_numbers *numbers)
{
	if (!numbers)
		return;
	hash_index__exit(&numbers->callers);
	hash_index__exit(&numbers->places);
	pages__delete(numbers->place, MAX_PLACES * sizeof(*numbers->place));
	pages__delete(numbers->arena, ARENA_SIZE);
	free(numbers->layout);
	free(numbers);
}

/* Does a later record complete the chain? */
static bool is_deferred(const u64 *word, u64 nr)
{
	return nr >= 2 && word[nr - 2] == PERF_CONTEXT_USER_DEFERRED_;
}

static void hash(struct looked_at *l, const struct sample_parts *of)
{
	u64 whose = hash_mix(of->event, of->cpumode);

	if (l->nr)
		l->callers_hash = hash_mix(whose, chain_words__hash(l->word, l->nr, l->leaf));
	l->place_hash = hash_mix(hash_mix(whose, of->ip), l->leaf_word);
}

/* Find the first frame of the callchain. It is mostly the place of the sample, but some hardware reports another address. */
static void look_at_leaf(struct looked_at *l, u64 nr_chain, struct sample_parts *of)
{
	struct perf_sample sample; /* only the members that are used */
	u8 cpumode;

	sample.cpumode = of->cpumode;
	sample.callchain = l->word;
	sample.nr_callchain = nr_chain;
	l->leaf = callchain__leaf(&sample, &cpumode);
	if (l->leaf < nr_chain)
		l->leaf_word = l->word[l->leaf];
	of->apart = l->leaf == nr_chain || l->leaf_word != of->ip || cpumode != of->cpumode;
	if (l->leaf == nr_chain)
		l->leaf = l->nr;
}

/* Are all frames after the first one the kernel's? */
static bool is_kernel_only(const struct looked_at *l, u64 nr_chain, u8 cpumode)
{
	for (u32 i = 0; i < nr_chain; i++) {
		if (l->word[i] >= (u64)PERF_CONTEXT_MAX && l->word[i] != PERF_CONTEXT_KERNEL && i != l->leaf)
			return false;
	}
	return cpumode == PERF_RECORD_MISC_KERNEL || (nr_chain && *l->word == PERF_CONTEXT_KERNEL);
}

/* Are these nr words raw data, whose size comes first, and nothing else? */
static bool is_raw(const u64 *word, u64 nr)
{
	u32 size;

	if (!nr)
		return false;
	memcpy(&size, word, sizeof(size));
	return sizeof(size) + (u64)size == nr * sizeof(*word);
}

/* false: it is malformed, or its chain is not complete. */
static bool look_at_rest(const struct part_numbers *numbers, const struct layout *layout, u64 nr, struct looked_at *l,
			 struct sample_parts *of)
{
	u64 nr_chain = 0, nr_raw = nr - layout->chain;

	if (layout->has_chain) {
		if (!nr_raw || *l->word > nr_raw - 1)
			return false;
		nr_chain = *l->word++;
		nr_raw -= 1 + nr_chain;
	}
	if (layout->has_raw ? !is_raw(l->word + nr_chain, nr_raw) : nr_raw)
		return false;
	l->nr_raw = numbers->which == SESSION_IDS_OF_RAW ? nr_raw : 0;
	if (!layout->has_chain || numbers->detail != SESSION_CHAINS) {
		of->no_chain = of->kernel_callers = true;
		l->word += nr_chain;
		l->nr = l->leaf = l->nr_raw;
		return true;
	}
	l->nr = nr_chain + l->nr_raw;
	look_at_leaf(l, nr_chain, of);
	of->kernel_callers = is_kernel_only(l, nr_chain, of->cpumode);
	return !is_deferred(l->word, nr_chain);
}

/* false: it is no sample, or is malformed. */
static bool look_at(const struct part_numbers *numbers, const union perf_record *record, struct looked_at *l,
		    struct sample_parts *of)
{
	const u64 *word = (const u64 *)(&record->header + 1);
	u64 nr = (record->header.size - sizeof(record->header)) / sizeof(*word);
	const struct session_event *event;
	const struct layout *layout;
	u32 ids[2];

	if (record->header.type != PERF_RECORD_SAMPLE || record->header.size % sizeof(*word))
		return false;
	event = session_events__of_sample(numbers->events, record);
	layout = event ? &numbers->layout[event->idx] : NULL;
	if (!layout || !layout->has_parts || layout->chain > nr)
		return false;
	memcpy(ids, &word[layout->tid], sizeof(ids));
	*of = (struct sample_parts){ .event = event->idx, .pid = ids[0], .tid = ids[1],
				       .ip = numbers->detail == SESSION_ADDRESSES ? 0 : word[layout->ip],
				       .cpumode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
				       .period = layout->has_period ? word[layout->period] : layout->usual_period };
	*l = (struct looked_at){ .word = &word[layout->chain] };
	if (layout->has_cpu)
		memcpy(&of->cpu, &word[layout->cpu], sizeof(of->cpu));
	if (!look_at_rest(numbers, layout, nr, l, of))
		return false;
	hash(l, of);
	return true;
}

static struct callers *callers_at(const struct part_numbers *numbers, const struct hash_slot *slot)
{
	return (struct callers *)(numbers->arena + (size_t)(slot->place - 1) * sizeof(u64));
}

static const struct place *place_at(const struct part_numbers *numbers, const struct hash_slot *slot)
{
	return &numbers->place[slot->place - 1];
}

/* The words of most chains end in the second cache line. */
static void prefetch(const struct part_numbers *numbers, const struct looked_at *l)
{
	u32 i = l->callers_hash, j = l->place_hash;
	const struct hash_slot *callers = l->nr ? hash_index__next(&numbers->callers, l->callers_hash, &i) : NULL;
	const struct hash_slot *place = hash_index__next(&numbers->places, l->place_hash, &j);

	if (callers) {
		__builtin_prefetch(callers_at(numbers, callers));
		__builtin_prefetch(&callers_at(numbers, callers)->word[8]);
	}
	if (place)
		__builtin_prefetch(place_at(numbers, place));
}

static bool is_same(const struct callers *callers, const struct looked_at *l, const struct sample_parts *of)
{
	u32 from = l->leaf < l->nr ? l->leaf + 1 : 0;

	return callers->nr == l->nr && callers->nr_raw == l->nr_raw && callers->leaf == l->leaf && callers->event == of->event &&
	       callers->cpumode == of->cpumode &&
	       (!l->leaf || l->leaf == l->nr || callers->word[0] == l->word[0]) &&
	       !memcmp(callers->word + from, l->word + from, (l->nr - from) * sizeof(u64));
}

static u32 find_callers(const struct part_numbers *numbers, const struct looked_at *l, const struct sample_parts *of)
{
	const struct hash_slot *slot;
	u32 i = l->callers_hash;

	while ((slot = hash_index__next(&numbers->callers, l->callers_hash, &i))) {
		if (is_same(callers_at(numbers, slot), l, of))
			return callers_at(numbers, slot)->number;
	}
	return 0;
}

static u32 find_place(const struct part_numbers *numbers, const struct looked_at *l, const struct sample_parts *of)
{
	const struct hash_slot *slot;
	u32 i = l->place_hash;

	while ((slot = hash_index__next(&numbers->places, l->place_hash, &i))) {
		const struct place *place = place_at(numbers, slot);

		if (place->ip == of->ip && place->leaf_word == l->leaf_word && place->event == of->event && place->cpumode == of->cpumode && place->apart == of->apart)
			return slot->place;
	}
	return 0;
}

static u32 add_callers(struct part_numbers *numbers, const struct looked_at *l, const struct sample_parts *of)
{
	struct callers *callers = (struct callers *)(numbers->arena + numbers->used);
	size_t words = l->nr * sizeof(u64);

	if (sizeof(*callers) + words > ARENA_SIZE - numbers->used ||
	    hash_index__add(&numbers->callers, l->callers_hash, numbers->used / sizeof(u64)))
		return 0;
	*callers = (struct callers){ .number = ++numbers->nr_callers, .event = of->event, .nr = l->nr, .nr_raw = l->nr_raw,
				     .leaf = l->leaf, .cpumode = of->cpumode };
	memcpy(callers->word, l->word, words);
	numbers->used += sizeof(*callers) + words;
	return callers->number;
}

/* One number for all samples of an event without callchain and raw data. */
static u32 no_callers(struct part_numbers *numbers, u32 event)
{
	u32 *number = &numbers->layout[event].no_callers;

	if (!*number)
		*number = ++numbers->nr_callers;
	return *number;
}

static u32 add_place(struct part_numbers *numbers, const struct looked_at *l, const struct sample_parts *of)
{
	if (numbers->nr_places == MAX_PLACES || hash_index__add(&numbers->places, l->place_hash, numbers->nr_places))
		return 0;
	numbers->place[numbers->nr_places] = (struct place){ .ip = of->ip, .leaf_word = l->leaf_word, .event = of->event,
							     .cpumode = of->cpumode, .apart = of->apart };
	return ++numbers->nr_places;
}

static void find(struct part_numbers *numbers, const struct looked_at *l, struct sample_parts *of)
{
	of->callers = l->nr ? find_callers(numbers, l, of) ?: add_callers(numbers, l, of) : no_callers(numbers, of->event);
	if (of->callers)
		of->place = find_place(numbers, l, of) ?: add_place(numbers, l, of);
	if (!of->place)
		numbers->full = true;
}

static void fetch_record(const struct order_item *item)
{
	for (size_t at = 0; at < RECORD_AHEAD; at += CACHE_LINE)
		__builtin_prefetch((const char *)item->record + at);
}

/* more: number of items after these nr. */
static void find_block(struct part_numbers *numbers, const struct order_item *item, size_t nr, size_t more, struct sample_parts *result)
{
	for (size_t i = 0; i < nr; i++) {
		struct looked_at *l = &numbers->block[i];

		if (i < more)
			fetch_record(&item[nr + i]);
		result[i].place = 0;
		if (look_at(numbers, item[i].record, l, &result[i])) {
			if (l->nr)
				hash_index__prefetch(&numbers->callers, l->callers_hash);
			hash_index__prefetch(&numbers->places, l->place_hash);
		} else {
			l->word = NULL;
		}
	}
	for (size_t i = 0; i < nr; i++) {
		if (numbers->block[i].word)
			prefetch(numbers, &numbers->block[i]);
	}
	for (size_t i = 0; i < nr; i++) {
		if (numbers->block[i].word)
			find(numbers, &numbers->block[i], &result[i]);
	}
}

static void empty(struct part_numbers *numbers)
{
	numbers->used = 0;
	numbers->nr_callers = numbers->nr_places = 0;
	numbers->full = false;
	for (u32 i = 0; i < numbers->events->nr; i++)
		numbers->layout[i].no_callers = 0;
	hash_index__empty(&numbers->callers);
	hash_index__empty(&numbers->places);
}

bool part_numbers__find(struct part_numbers *numbers, const struct order_item *item, size_t nr, struct sample_parts *result)
{
	bool anew = numbers->full;

	if (anew)
		empty(numbers);
	for (size_t i = 0; i < nr && i < BLOCK; i++)
		fetch_record(&item[i]);
	for (size_t i = 0; i < nr; i += BLOCK) {
		size_t in_block = nr - i < BLOCK ? nr - i : BLOCK;

		find_block(numbers, item + i, in_block, nr - i - in_block, result + i);
	}
	return anew;
}
