// SPDX-License-Identifier: GPL-2.0
#include "util/session/sample-kinds.h"

#include <stdlib.h>
#include <string.h>

#include "util/callchain/callchain.h"
#include "util/callchain/chain-cache.h"
#include "util/lib/hash-index.h"
#include "util/lib/pages.h"

#define ARENA_SIZE (32 << 20) /* bytes of callers */
#define MAX_KINDS (1 << 20)
#define MAX_EVENTS (1 << 24) /* kind_of_sample.event; samples of others have no kind */
/* So many items are looked at in steps, that what one step needs is on its way from memory since the one before. */
#define BLOCK 64
#define RECORD_AHEAD 192 /* bytes: most records are not longer */
#define CACHE_LINE 64

/* What samples of these types carry is known without decoding them, and all but thread, CPU, time and period is compared. */
#define ALLOWED_TYPES                                                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define NEEDED_TYPES (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN)

struct layout { /* where words of an event's samples stand, counted from the header's end */
	bool has_kinds, has_cpu, has_period;
	u8 ip, tid, cpu, period, chain;
	u64 usual_period; /* of samples that tell none */
};

struct callers {
	u32 number, event, pid;
	u16 nr, leaf; /* a record has no more words */
	u8 cpumode;
	u64 word[]; /* nr: the callchain; that of the leaf, if there is one, means nothing */
};

struct kind {
	u64 ip, rest; /* the leaf's word; of places: event and pid */
	u32 callers; /* number; of places: the cpumode */
};

struct looked_at { /* a sample */
	const u64 *word; /* of the callchain; NULL: it is none */
	u64 leaf_word;
	u32 callers_hash, hash;
	u16 nr, leaf; /* leaf is nr, if there is none */
};

struct sample_kinds {
	const struct session_events *events;
	bool of_places;
	struct layout *layout; /* of each event */
	char *arena;
	size_t used;
	struct kind *kind;
	u32 nr_callers, nr_kinds;
	bool full; /* to be emptied with the next call */
	struct hash_index callers, kinds; /* places in the arena in units of 8 bytes, and in kind[] */
	struct looked_at block[BLOCK];
};

/* perf_event_open(2): the order of what is allowed is IDENTIFIER, IP, TID, TIME, ID, CPU, PERIOD, CALLCHAIN. */
static struct layout layout_of(const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;
	u8 ip = !!(type & PERF_SAMPLE_IDENTIFIER), chain = sample__callchain_pos(attr);

	if (type & ~(u64)ALLOWED_TYPES || (type & NEEDED_TYPES) != NEEDED_TYPES)
		return (struct layout){};
	return (struct layout){ .has_kinds = true, .has_cpu = type & PERF_SAMPLE_CPU, .has_period = type & PERF_SAMPLE_PERIOD,
				.ip = ip, .tid = ip + 1, .cpu = chain - 1 - !!(type & PERF_SAMPLE_PERIOD), .period = chain - 1,
				.chain = chain, .usual_period = attr->sample_period };
}

struct sample_kinds *sample_kinds__new(const struct session_events *events, bool of_places)
{
	struct sample_kinds *kinds = calloc(1, sizeof(*kinds));

	if (!kinds)
		return NULL;
	kinds->events = events;
	kinds->of_places = of_places;
	kinds->layout = calloc(events->nr, sizeof(*kinds->layout));
	kinds->arena = pages__new(ARENA_SIZE);
	kinds->kind = pages__new(MAX_KINDS * sizeof(*kinds->kind));
	if (!kinds->layout || !kinds->arena || !kinds->kind) {
		sample_kinds__delete(kinds);
		return NULL;
	}
	for (u32 i = 0; i < events->nr && i < MAX_EVENTS; i++)
		kinds->layout[i] = layout_of(&events->event[i].event->attr);
	return kinds;
}

void sample_kinds__delete(struct sample_kinds *kinds)
{
	if (!kinds)
		return;
	hash_index__exit(&kinds->callers);
	hash_index__exit(&kinds->kinds);
	pages__delete(kinds->kind, MAX_KINDS * sizeof(*kinds->kind));
	pages__delete(kinds->arena, ARENA_SIZE);
	free(kinds->layout);
	free(kinds);
}

/* A chain that another record will complete. */
static bool is_deferred(const struct looked_at *l)
{
	return l->nr >= 2 && l->word[l->nr - 2] == PERF_CONTEXT_USER_DEFERRED_;
}

static u64 process_of(const struct kind_of_sample *of)
{
	return (u64)of->event << 32 | of->pid;
}

static void hash(const struct sample_kinds *kinds, struct looked_at *l, const struct kind_of_sample *of)
{
	u64 whose = hash_mix(process_of(of), of->cpumode);
	u64 callers = hash_mix(whose, chain_words__hash(l->word, l->nr, l->leaf));

	l->callers_hash = callers;
	l->hash = hash_mix(hash_mix(kinds->of_places ? whose : callers, of->ip), l->leaf_word);
}

/* The frame that a callchain begins with, which is mostly where the sample was, but some hardware tells the two apart. */
static void look_at_leaf(struct looked_at *l, struct kind_of_sample *of)
{
	struct perf_sample sample; /* as far as it is looked at */
	u8 cpumode;

	sample.cpumode = of->cpumode;
	sample.callchain = l->word;
	sample.nr_callchain = l->nr;
	l->leaf = callchain__leaf(&sample, &cpumode);
	if (l->leaf == l->nr)
		return;
	l->leaf_word = l->word[l->leaf];
	of->callers = l->leaf_word == of->ip && cpumode == of->cpumode;
}

/* false: it is no sample, or not of the form that it should have. */
static bool look_at(const struct sample_kinds *kinds, const union perf_record *record, struct looked_at *l,
		    struct kind_of_sample *of)
{
	const u64 *word = (const u64 *)(&record->header + 1);
	u64 nr = (record->header.size - sizeof(record->header)) / sizeof(*word);
	const struct session_event *event;
	const struct layout *layout;
	u32 ids[2];

	if (record->header.type != PERF_RECORD_SAMPLE || record->header.size % sizeof(*word))
		return false;
	event = session_events__of_sample(kinds->events, record);
	layout = event ? &kinds->layout[event->idx] : NULL;
	if (!layout || !layout->has_kinds || layout->chain >= nr || word[layout->chain] != nr - layout->chain - 1)
		return false;
	memcpy(ids, &word[layout->tid], sizeof(ids));
	*of = (struct kind_of_sample){ .event = event->idx, .pid = ids[0], .tid = ids[1], .ip = word[layout->ip],
				       .cpumode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
				       .period = layout->has_period ? word[layout->period] : layout->usual_period };
	*l = (struct looked_at){ .word = &word[layout->chain + 1], .nr = word[layout->chain] };
	if (layout->has_cpu)
		memcpy(&of->cpu, &word[layout->cpu], sizeof(of->cpu));
	look_at_leaf(l, of);
	if (is_deferred(l) || (kinds->of_places && !of->callers))
		return false;
	hash(kinds, l, of);
	return true;
}

static struct callers *callers_at(const struct sample_kinds *kinds, const struct hash_slot *slot)
{
	return (struct callers *)(kinds->arena + (size_t)(slot->place - 1) * sizeof(u64));
}

/* The words of most chains end in the line after the first one. */
static void prefetch(const struct sample_kinds *kinds, const struct looked_at *l)
{
	u32 i = l->callers_hash, j = l->hash;
	const struct hash_slot *callers = hash_index__next(&kinds->callers, l->callers_hash, &i);
	const struct hash_slot *kind = hash_index__next(&kinds->kinds, l->hash, &j);

	if (callers) {
		__builtin_prefetch(callers_at(kinds, callers));
		__builtin_prefetch(&callers_at(kinds, callers)->word[8]);
	}
	if (kind)
		__builtin_prefetch(&kinds->kind[kind->place - 1]);
}

static bool is_same(const struct callers *callers, const struct looked_at *l, const struct kind_of_sample *of)
{
	u32 from = l->leaf < l->nr ? l->leaf + 1 : 0;

	return callers->nr == l->nr && callers->leaf == l->leaf && callers->pid == of->pid && callers->event == of->event &&
	       callers->cpumode == of->cpumode && (!l->leaf || l->leaf == l->nr || callers->word[0] == l->word[0]) &&
	       !memcmp(callers->word + from, l->word + from, (l->nr - from) * sizeof(u64));
}

static u32 find_callers(const struct sample_kinds *kinds, const struct looked_at *l, const struct kind_of_sample *of)
{
	const struct hash_slot *slot;
	u32 i = l->callers_hash;

	while ((slot = hash_index__next(&kinds->callers, l->callers_hash, &i))) {
		if (is_same(callers_at(kinds, slot), l, of))
			return callers_at(kinds, slot)->number;
	}
	return 0;
}

static u32 find_kind(const struct sample_kinds *kinds, const struct looked_at *l, const struct kind *wanted)
{
	const struct hash_slot *slot;
	u32 i = l->hash;

	while ((slot = hash_index__next(&kinds->kinds, l->hash, &i))) {
		const struct kind *kind = &kinds->kind[slot->place - 1];

		if (kind->callers == wanted->callers && kind->ip == wanted->ip && kind->rest == wanted->rest)
			return slot->place;
	}
	return 0;
}

static u32 add_callers(struct sample_kinds *kinds, const struct looked_at *l, const struct kind_of_sample *of)
{
	struct callers *callers = (struct callers *)(kinds->arena + kinds->used);
	size_t words = l->nr * sizeof(u64);

	if (sizeof(*callers) + words > ARENA_SIZE - kinds->used ||
	    hash_index__add(&kinds->callers, l->callers_hash, kinds->used / sizeof(u64)))
		return 0;
	*callers = (struct callers){ .number = ++kinds->nr_callers, .event = of->event, .pid = of->pid, .nr = l->nr, .leaf = l->leaf,
				     .cpumode = of->cpumode };
	memcpy(callers->word, l->word, words);
	kinds->used += sizeof(*callers) + words;
	return callers->number;
}

static u32 add_kind(struct sample_kinds *kinds, const struct looked_at *l, const struct kind *kind)
{
	if (kinds->nr_kinds == MAX_KINDS || hash_index__add(&kinds->kinds, l->hash, kinds->nr_kinds))
		return 0;
	kinds->kind[kinds->nr_kinds] = *kind;
	return ++kinds->nr_kinds;
}

static void find(struct sample_kinds *kinds, const struct looked_at *l, struct kind_of_sample *of)
{
	u32 callers = find_callers(kinds, l, of) ?: add_callers(kinds, l, of);
	struct kind kind = { of->ip, l->leaf_word, callers };

	if (kinds->of_places)
		kind = (struct kind){ of->ip, process_of(of), of->cpumode };
	if (callers)
		of->kind = find_kind(kinds, l, &kind) ?: add_kind(kinds, l, &kind);
	if (!of->kind)
		kinds->full = true;
	if (of->callers)
		of->callers = callers;
}

static void find_block(struct sample_kinds *kinds, const struct order_item *item, size_t nr, struct kind_of_sample *result)
{
	for (size_t i = 0; i < nr; i++) {
		struct looked_at *l = &kinds->block[i];

		result[i].kind = 0;
		if (look_at(kinds, item[i].record, l, &result[i])) {
			hash_index__prefetch(&kinds->callers, l->callers_hash);
			hash_index__prefetch(&kinds->kinds, l->hash);
		} else {
			l->word = NULL;
		}
	}
	for (size_t i = 0; i < nr; i++) {
		if (kinds->block[i].word)
			prefetch(kinds, &kinds->block[i]);
	}
	for (size_t i = 0; i < nr; i++) {
		if (kinds->block[i].word)
			find(kinds, &kinds->block[i], &result[i]);
	}
}

static void empty(struct sample_kinds *kinds)
{
	kinds->used = 0;
	kinds->nr_callers = kinds->nr_kinds = 0;
	kinds->full = false;
	hash_index__empty(&kinds->callers);
	hash_index__empty(&kinds->kinds);
}

static void fetch_records(const struct order_item *item, size_t nr)
{
	for (size_t i = 0; i < nr && i < BLOCK; i++) {
		for (size_t at = 0; at < RECORD_AHEAD; at += CACHE_LINE)
			__builtin_prefetch((const char *)item[i].record + at);
	}
}

bool sample_kinds__find(struct sample_kinds *kinds, const struct order_item *item, size_t nr, struct kind_of_sample *result)
{
	bool anew = kinds->full;

	if (anew)
		empty(kinds);
	fetch_records(item, nr);
	for (size_t i = 0; i < nr; i += BLOCK) {
		if (nr - i > BLOCK)
			fetch_records(item + i + BLOCK, nr - i - BLOCK);
		find_block(kinds, item + i, nr - i < BLOCK ? nr - i : BLOCK, result + i);
	}
	return anew;
}
