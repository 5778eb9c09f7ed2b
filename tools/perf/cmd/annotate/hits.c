// SPDX-License-Identifier: GPL-2.0
#include "cmd/annotate/hits.h"

#include <errno.h>
#include <stdlib.h>

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

int code_hits__add(struct code_hits *hits, const struct session_sample *sample)
{
	const struct location *loc = &sample->loc;
	struct code_function_hits *function;
	struct code_hit *hit;

	if (!loc->sym || !loc->map)
		return 0;
	function = find(hits, sample->evsel->idx, loc->sym) ?: add_function(hits, sample);
	hit = function ? hit_at(hits, function, loc->sym_addr - loc->sym->start) : NULL;
	if (!hit)
		return -ENOMEM;
	hit->nr += sample->sample->count;
	hit->period += sample->sample->period;
	function->nr += sample->sample->count;
	function->period += sample->sample->period;
	return 0;
}

struct code_hit code_hits__sum(const struct code_hits *hits, const struct code_function_hits *function, u64 from, u64 to)
{
	struct code_hit sum = { .offset = from };

	for (u32 i = function->first; i; i = hits->hit[i - 1].next) {
		const struct code_hit *hit = &hits->hit[i - 1];

		if (hit->offset < from || hit->offset >= to)
			continue;
		sum.nr += hit->nr;
		sum.period += hit->period;
	}
	return sum;
}

void code_hits__exit(struct code_hits *hits)
{
	free(hits->function);
	free(hits->hit);
	hash_index__exit(&hits->functions);
	hash_index__exit(&hits->hits);
	*hits = (struct code_hits){};
}
