// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/hits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static u32 hash_function(u32 event, const struct symbol *sym)
{
	return hash_mix(event, (uintptr_t)sym);
}

static struct code_function_hits *find(const struct code_hits *hits, u32 event, const struct symbol *sym)
{
	u32 hash = hash_function(event, sym), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&hits->functions, hash, &i))) {
		struct code_function_hits *function = &hits->function[slot->place - 1];

		if (function->event == event && function->loc.sym == sym)
			return function;
	}
	return NULL;
}

const struct code_function_hits *code_hits__find(const struct code_hits *hits, u32 event, const struct symbol *sym)
{
	return find(hits, event, sym);
}

const struct code_function_hits *code_hits__find_name(const struct code_hits *hits, u32 event, const struct dso *dso, const char *name)
{
	for (u32 i = 0; i < hits->nr_functions; i++) {
		const struct code_function_hits *function = &hits->function[i];

		if (function->event == event && function->loc.dso == dso && !strcmp(function->loc.sym->name, name))
			return function;
	}
	return NULL;
}

/* Room for one more element. */
static int reserve(void **array, u32 nr, u32 *alloc, size_t size)
{
	u32 more = *alloc ? 2 * *alloc : 64;
	void *larger;

	if (nr < *alloc)
		return 0;
	larger = more > nr ? reallocarray(*array, more, size) : NULL;
	if (!larger)
		return -ENOMEM;
	*array = larger;
	*alloc = more;
	return 0;
}

static struct code_function_hits *add_function(struct code_hits *hits, const struct session_sample *sample)
{
	u32 event = sample->evsel->idx;

	if (reserve((void **)&hits->function, hits->nr_functions, &hits->alloc_functions, sizeof(*hits->function)) ||
	    hash_index__add(&hits->functions, hash_function(event, sample->loc.sym), hits->nr_functions))
		return NULL;
	hits->function[hits->nr_functions] = (struct code_function_hits){ .event = event, .loc = sample->loc };
	return &hits->function[hits->nr_functions++];
}

/* The hit at this offset, which is new if it was not there. NULL: no memory. */
static struct code_hit *hit_at(struct code_hits *hits, struct code_function_hits *function, u64 offset)
{
	u32 index = function - hits->function, hash = hash_mix(index, offset), i = hash;
	const struct hash_slot *slot;

	while ((slot = hash_index__next(&hits->hits, hash, &i))) {
		struct code_hit *hit = &hits->hit[slot->place - 1];

		if (hit->function == index && hit->offset == offset)
			return hit;
	}
	if (reserve((void **)&hits->hit, hits->nr_hits, &hits->alloc_hits, sizeof(*hits->hit)) || hash_index__add(&hits->hits, hash, hits->nr_hits))
		return NULL;
	hits->hit[hits->nr_hits] = (struct code_hit){ .function = index, .offset = offset, .next = function->first };
	function->first = ++hits->nr_hits;
	return &hits->hit[hits->nr_hits - 1];
}

void code_hits__add_more(struct code_hits *hits, u32 where, u64 nr, u64 period)
{
	struct code_hit *hit;

	if (!where)
		return;
	hit = &hits->hit[where - 1];
	hit->nr += nr;
	hit->period += period;
	hits->function[hit->function].nr += nr;
	hits->function[hit->function].period += period;
}

u32 code_hits__last(const struct code_hits *hits)
{
	return hits->last;
}

int code_hits__add(struct code_hits *hits, const struct session_sample *sample)
{
	const struct location *loc = &sample->loc;
	struct code_function_hits *function;
	struct code_hit *hit;

	hits->last = 0;
	if (!loc->sym || !loc->map)
		return 0;
	function = find(hits, sample->evsel->idx, loc->sym) ?: add_function(hits, sample);
	hit = function ? hit_at(hits, function, loc->sym_addr - loc->sym->start) : NULL;
	if (!hit)
		return -ENOMEM;
	hits->last = hit - hits->hit + 1;
	code_hits__add_more(hits, hits->last, sample->sample->count, sample->sample->period);
	return 0;
}

/* The last sum that does not begin behind the offset; NULL: all do. */
static struct code_sum *sum_at(struct code_sum *sum, u32 nr, u64 offset)
{
	u32 from = 0, to = nr;

	while (from < to) {
		u32 middle = from + (to - from) / 2;

		if (sum[middle].offset <= offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? &sum[from - 1] : NULL;
}

void code_hits__sum(const struct code_hits *hits, const struct code_function_hits *function, u64 size, struct code_sum *sum, u32 nr)
{
	for (u32 i = function->first; i; i = hits->hit[i - 1].next) {
		const struct code_hit *hit = &hits->hit[i - 1];
		struct code_sum *at = hit->offset < size ? sum_at(sum, nr, hit->offset) : NULL;

		if (!at)
			continue;
		at->nr += hit->nr;
		at->period += hit->period;
	}
}

void code_hits__exit(struct code_hits *hits)
{
	free(hits->function);
	free(hits->hit);
	hash_index__exit(&hits->functions);
	hash_index__exit(&hits->hits);
	*hits = (struct code_hits){};
}
