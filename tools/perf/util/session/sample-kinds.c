// SPDX-License-Identifier: GPL-2.0
#include "util/session/sample-kinds.h"

#include <stdlib.h>
#include <string.h>

#include "util/lib/hash-index.h"
#include "util/lib/pages.h"

#define ARENA_SIZE (48 << 20) /* bytes of kinds */
/* So many items are looked at in steps, that what one step needs is on its way from memory since the one before. */
#define BLOCK 64

/* What samples of these types carry is known without decoding them, and all but thread, CPU, time and period is compared. */
#define ALLOWED_TYPES                                                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define NEEDED_TYPES (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN)

struct layout { /* where words of an event's samples stand, counted from the header's end */
	bool has_kinds, has_period;
	u8 ip, tid, period, chain;
	u64 usual_period; /* of samples that tell none */
};

struct kind {
	u32 number, event, pid;
	u16 nr; /* a record has no more words */
	u8 cpumode;
	u64 ip;
	u64 word[]; /* nr: the callchain */
};

struct looked_at {
	const u64 *word; /* of the callchain */
	u64 ip;
	u32 hash;
	u16 nr;
	u8 cpumode;
};

struct sample_kinds {
	const struct session_events *events;
	struct layout *layout; /* of each event */
	char *arena;
	size_t used;
	u32 nr;
	bool full; /* to be emptied with the next call */
	struct hash_index index; /* places are offsets in units of 8 bytes */
	struct looked_at block[BLOCK];
};

/* perf_event_open(2): the order of what is allowed is IDENTIFIER, IP, TID, TIME, ID, CPU, PERIOD, CALLCHAIN. */
static struct layout layout_of(const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;
	u8 ip = !!(type & PERF_SAMPLE_IDENTIFIER), chain = sample__callchain_pos(attr);

	if (type & ~(u64)ALLOWED_TYPES || (type & NEEDED_TYPES) != NEEDED_TYPES)
		return (struct layout){};
	return (struct layout){ .has_kinds = true, .has_period = type & PERF_SAMPLE_PERIOD, .ip = ip, .tid = ip + 1,
				.period = chain - 1, .chain = chain, .usual_period = attr->sample_period };
}

struct sample_kinds *sample_kinds__new(const struct session_events *events)
{
	struct sample_kinds *kinds = calloc(1, sizeof(*kinds));

	if (!kinds)
		return NULL;
	kinds->events = events;
	kinds->layout = calloc(events->nr, sizeof(*kinds->layout));
	kinds->arena = pages__new(ARENA_SIZE);
	if (!kinds->layout || !kinds->arena) {
		sample_kinds__delete(kinds);
		return NULL;
	}
	for (u32 i = 0; i < events->nr; i++)
		kinds->layout[i] = layout_of(&events->event[i].event->attr);
	return kinds;
}

void sample_kinds__delete(struct sample_kinds *kinds)
{
	if (!kinds)
		return;
	hash_index__exit(&kinds->index);
	pages__delete(kinds->arena, ARENA_SIZE);
	free(kinds->layout);
	free(kinds);
}

/* A chain that another record will complete. */
static bool is_deferred(const struct looked_at *l)
{
	return l->nr >= 2 && l->word[l->nr - 2] == PERF_CONTEXT_USER_DEFERRED_;
}

static u32 hash_of(const struct looked_at *l, const struct kind_of_sample *of)
{
	u64 hash = hash_mix((u64)of->event << 32 | of->pid, (u64)l->nr << 8 | l->cpumode);

	hash = hash_mix(hash, l->ip);
	for (u32 i = 0; i < l->nr; i++)
		hash = hash_mix(hash, l->word[i]);
	return hash;
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
	*of = (struct kind_of_sample){ .event = event->idx, .pid = ids[0], .tid = ids[1],
				       .period = layout->has_period ? word[layout->period] : layout->usual_period };
	*l = (struct looked_at){ .word = &word[layout->chain + 1], .nr = word[layout->chain], .ip = word[layout->ip],
				 .cpumode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK };
	l->hash = hash_of(l, of);
	return !is_deferred(l);
}

static struct kind *kind_at(const struct sample_kinds *kinds, const struct hash_slot *slot)
{
	return (struct kind *)(kinds->arena + (size_t)(slot->place - 1) * sizeof(u64));
}

/* The words of most chains end in the line after the first one. */
static void prefetch(const struct sample_kinds *kinds, u32 hash)
{
	u32 i = hash;
	const struct hash_slot *slot = hash_index__next(&kinds->index, hash, &i);

	if (!slot)
		return;
	__builtin_prefetch(kind_at(kinds, slot));
	__builtin_prefetch(&kind_at(kinds, slot)->word[8]);
}

static u32 find(const struct sample_kinds *kinds, const struct looked_at *l, const struct kind_of_sample *of)
{
	const struct hash_slot *slot;
	u32 i = l->hash;

	while ((slot = hash_index__next(&kinds->index, l->hash, &i))) {
		const struct kind *kind = kind_at(kinds, slot);

		if (kind->ip == l->ip && kind->nr == l->nr && kind->pid == of->pid && kind->event == of->event &&
		    kind->cpumode == l->cpumode && !memcmp(kind->word, l->word, l->nr * sizeof(u64)))
			return kind->number;
	}
	return 0;
}

static u32 add(struct sample_kinds *kinds, const struct looked_at *l, const struct kind_of_sample *of)
{
	struct kind *kind = (struct kind *)(kinds->arena + kinds->used);
	size_t words = l->nr * sizeof(u64);

	if (sizeof(*kind) + words > ARENA_SIZE - kinds->used || hash_index__add(&kinds->index, l->hash, kinds->used / sizeof(u64))) {
		kinds->full = true;
		return 0;
	}
	*kind = (struct kind){ .number = ++kinds->nr, .event = of->event, .pid = of->pid, .nr = l->nr, .cpumode = l->cpumode, .ip = l->ip };
	memcpy(kind->word, l->word, words);
	kinds->used += sizeof(*kind) + words;
	return kind->number;
}

static void find_block(struct sample_kinds *kinds, const struct order_item *item, size_t nr, struct kind_of_sample *result)
{
	for (size_t i = 0; i < nr; i++) {
		struct looked_at *l = &kinds->block[i];

		result[i].kind = 0;
		if (look_at(kinds, item[i].record, l, &result[i]))
			hash_index__prefetch(&kinds->index, l->hash);
		else
			l->word = NULL;
	}
	for (size_t i = 0; i < nr; i++) {
		if (kinds->block[i].word)
			prefetch(kinds, kinds->block[i].hash);
	}
	for (size_t i = 0; i < nr; i++) {
		const struct looked_at *l = &kinds->block[i];

		if (l->word)
			result[i].kind = find(kinds, l, &result[i]) ?: add(kinds, l, &result[i]);
	}
}

static void empty(struct sample_kinds *kinds)
{
	kinds->used = 0;
	kinds->nr = 0;
	kinds->full = false;
	hash_index__empty(&kinds->index);
}

bool sample_kinds__find(struct sample_kinds *kinds, const struct order_item *item, size_t nr, struct kind_of_sample *result)
{
	bool anew = kinds->full;

	if (anew)
		empty(kinds);
	for (size_t i = 0; i < nr; i += BLOCK)
		find_block(kinds, item + i, nr - i < BLOCK ? nr - i : BLOCK, result + i);
	return anew;
}
