// SPDX-License-Identifier: GPL-2.0
#include "util/session/sample-numbers.h"

#include <stdlib.h>
#include <string.h>

#include "util/callchain/callchain.h"
#include "util/event/attr-flags.h"

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
	bool defers; /* its samples may have chains that come later, and then get no numbers */
	u8 ip, tid, cpu, period, chain; /* chain: without one, that of the raw data, or the number of words */
	u64 usual_period; /* of samples without a period */
};

struct sample_numbers {
	const struct session_events *events;
	enum session_detail detail;
	enum session_ids which;
	struct layout *layout; /* one per event */
	struct stack_numbers *stacks;
	struct stack_words words[BLOCK];
};

/* perf_event_open(2) has the allowed fields in this order: IDENTIFIER, IP, TID, TIME, ID, CPU, PERIOD, CALLCHAIN, RAW. */
static struct layout layout_of(const struct perf_event_attr *attr, bool with_raw)
{
	u64 type = attr->sample_type, last = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
	u64 allowed = ALLOWED_TYPES | (with_raw ? PERF_SAMPLE_RAW : 0);
	u8 ip = !!(type & PERF_SAMPLE_IDENTIFIER), chain = __builtin_popcountll(type & ~last);

	if (type & ~allowed || (type & NEEDED_TYPES) != NEEDED_TYPES)
		return (struct layout){};
	return (struct layout){
		.has_parts = true, .has_cpu = type & PERF_SAMPLE_CPU, .has_period = type & PERF_SAMPLE_PERIOD,
		.has_chain = type & PERF_SAMPLE_CALLCHAIN, .has_raw = type & PERF_SAMPLE_RAW,
		.defers = attr__flags(attr) & ATTR_FLAG_DEFER_CALLCHAIN,
		.ip = ip, .tid = sample__tid_pos(attr), .cpu = chain - 1 - !!(type & PERF_SAMPLE_PERIOD), .period = chain - 1, .chain = chain,
		.usual_period = attr->sample_period,
	};
}

struct sample_numbers *sample_numbers__new(const struct session_events *events, enum session_detail detail, enum session_ids which)
{
	struct sample_numbers *numbers = calloc(1, sizeof(*numbers));

	if (!numbers)
		return NULL;
	numbers->events = events;
	numbers->detail = detail;
	numbers->which = which;
	numbers->layout = calloc(events->nr, sizeof(*numbers->layout));
	numbers->stacks = stack_numbers__new(events->nr);
	if (!numbers->layout || !numbers->stacks) {
		sample_numbers__delete(numbers);
		return NULL;
	}
	for (u32 i = 0; i < events->nr && i < STACK_MAX_EVENTS; i++) {
		const struct layout layout = layout_of(&events->event[i].event->attr, which == SESSION_IDS_OF_RAW || which == SESSION_IDS_BUT_RAW);

		if (layout.has_chain || which != SESSION_IDS_OF_CHAINS)
			numbers->layout[i] = layout;
	}
	return numbers;
}

void sample_numbers__delete(struct sample_numbers *numbers)
{
	if (!numbers)
		return;
	stack_numbers__delete(numbers->stacks);
	free(numbers->layout);
	free(numbers);
}

bool sample_numbers__cover(const struct sample_numbers *numbers, u32 event)
{
	return numbers->layout[event].has_parts && !numbers->layout[event].defers;
}

/* Does a later record complete the chain? */
static bool is_deferred(const u64 *word, u64 nr)
{
	return nr >= 2 && word[nr - 2] == PERF_CONTEXT_USER_DEFERRED_;
}

/* Most chains have a marker of the sample's mode, and then its address. */
static bool starts_at_place(const struct stack_words *w, u64 nr_chain)
{
	const u64 marker = w->cpumode == PERF_RECORD_MISC_KERNEL ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;

	return nr_chain > 1 && w->word[0] == marker && w->word[1] == w->ip && w->ip < (u64)PERF_CONTEXT_MAX &&
	       (w->cpumode == PERF_RECORD_MISC_KERNEL || w->cpumode == PERF_RECORD_MISC_USER);
}

/* Find the first frame of the callchain. It is mostly the place of the sample, but some hardware reports another address. */
static void look_at_leaf(struct stack_words *w, u64 nr_chain)
{
	struct perf_sample sample; /* only the members that are used */
	u8 cpumode;

	if (starts_at_place(w, nr_chain)) {
		w->leaf = 1;
		w->leaf_word = w->ip;
		return;
	}
	sample.cpumode = w->cpumode;
	sample.callchain = w->word;
	sample.nr_callchain = nr_chain;
	w->leaf = callchain__leaf(&sample, &cpumode);
	if (w->leaf < nr_chain)
		w->leaf_word = w->word[w->leaf];
	w->apart = w->leaf == nr_chain || w->leaf_word != w->ip || cpumode != w->cpumode;
	if (w->leaf == nr_chain)
		w->leaf = w->nr;
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

/* nr: words of the record from w->word on. false: it is malformed, or its chain is not complete. */
static bool look_at_rest(const struct sample_numbers *numbers, const struct layout *layout, u64 nr, struct stack_words *w)
{
	u64 nr_chain = 0;

	if (layout->has_chain) {
		if (!nr || *w->word > nr - 1)
			return false;
		nr_chain = *w->word++;
		nr -= 1 + nr_chain;
	}
	if (layout->has_raw ? !is_raw(w->word + nr_chain, nr) : nr)
		return false;
	w->nr_raw = numbers->which == SESSION_IDS_OF_RAW ? nr : 0;
	if (!layout->has_chain || numbers->detail != SESSION_CHAINS) {
		w->no_chain = true;
		w->word += nr_chain;
		w->nr = w->leaf = w->nr_raw;
		return true;
	}
	w->nr = nr_chain + w->nr_raw;
	look_at_leaf(w, nr_chain);
	return !is_deferred(w->word, nr_chain);
}

/* false: it is no sample that gets a number, or is malformed. */
static bool look_at(const struct sample_numbers *numbers, const union perf_record *record, struct stack_words *w,
		    struct numbered_sample *of)
{
	const u64 *word = (const u64 *)(&record->header + 1);
	u64 nr = (record->header.size - sizeof(record->header)) / sizeof(*word);
	const struct session_event *event;
	const struct layout *layout;

	if (record->header.type != PERF_RECORD_SAMPLE || record->header.size % sizeof(*word))
		return false;
	event = session_events__of_sample(numbers->events, record);
	layout = event ? &numbers->layout[event->idx] : NULL;
	if (!layout || !layout->has_parts || layout->chain > nr)
		return false;
	memcpy(&of->pid, &word[layout->tid], sizeof(of->pid));
	memcpy(&of->tid, (const char *)&word[layout->tid] + sizeof(of->pid), sizeof(of->tid));
	of->cpu = 0;
	if (layout->has_cpu)
		memcpy(&of->cpu, &word[layout->cpu], sizeof(of->cpu));
	of->period = layout->has_period ? word[layout->period] : layout->usual_period;
	*w = (struct stack_words){ .word = &word[layout->chain], .ip = numbers->detail == SESSION_ADDRESSES ? 0 : word[layout->ip],
				   .event = event->idx, .cpumode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK };
	return look_at_rest(numbers, layout, nr - layout->chain, w);
}

static void fetch_record(const struct order_item *item)
{
	for (size_t at = 0; at < RECORD_AHEAD; at += CACHE_LINE)
		__builtin_prefetch((const char *)item->record + at);
}

/* more: number of items after these nr. */
static void find_block(struct sample_numbers *numbers, const struct order_item *item, size_t nr, size_t more, struct numbered_sample *result)
{
	struct stack_words *words = numbers->words;

	for (size_t i = 0; i < nr; i++) {
		if (i < more)
			fetch_record(&item[nr + i]);
		result[i].parts.place = result[i].parts.callers = 0;
		if (look_at(numbers, item[i].record, &words[i], &result[i]))
			stack_numbers__begin(numbers->stacks, &words[i]);
		else
			words[i].word = NULL;
	}
	for (size_t i = 0; i < nr; i++) {
		if (words[i].word)
			stack_numbers__fetch(numbers->stacks, &words[i]);
	}
	for (size_t i = 0; i < nr; i++) {
		if (words[i].word)
			stack_numbers__find(numbers->stacks, &words[i], &result[i].parts);
	}
}

bool sample_numbers__find(struct sample_numbers *numbers, const struct order_item *item, size_t nr, struct numbered_sample *result)
{
	bool anew = stack_numbers__are_full(numbers->stacks);

	if (anew)
		stack_numbers__empty(numbers->stacks);
	for (size_t i = 0; i < nr && i < BLOCK; i++)
		fetch_record(&item[i]);
	for (size_t i = 0; i < nr; i += BLOCK) {
		size_t in_block = nr - i < BLOCK ? nr - i : BLOCK;

		find_block(numbers, item + i, in_block, nr - i - in_block, result + i);
	}
	return anew;
}
