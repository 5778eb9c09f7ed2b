// SPDX-License-Identifier: GPL-2.0
#include "util/stacks/counts.h"

#include <stdlib.h>

#include "util/lib/hash-index.h"
#include "util/lib/number-table.h"

#define MAX_KINDS (1 << 20)

struct counted { /* two in a cache line */
	struct sample_kind kind; /* with the number of samples */
	u64 period;
};

struct stack_counts {
	stack_counts_cb cb;
	void *data;
	u32 flushed; /* last handle that is no longer valid */
	struct number_table kinds; /* struct counted: the first one has the handle flushed + 1 */
	struct number_table where; /* u64, of the same ones */
	struct hash_index index;
};

struct stack_counts *stack_counts__new(stack_counts_cb cb, void *data)
{
	struct stack_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return NULL;
	counts->cb = cb;
	counts->data = data;
	counts->kinds.size = sizeof(struct counted);
	counts->where.size = sizeof(u64);
	return counts;
}

void stack_counts__delete(struct stack_counts *counts)
{
	if (!counts)
		return;
	number_table__exit(&counts->kinds);
	number_table__exit(&counts->where);
	hash_index__exit(&counts->index);
	free(counts);
}

/* NULL: it is none, or was flushed. */
static inline struct counted *counted_at(const struct stack_counts *counts, u32 handle)
{
	return handle > counts->flushed ? number_table__find(&counts->kinds, handle - counts->flushed - 1) : NULL;
}

static inline u32 hash_of(const struct sample_kind *kind)
{
	return hash_mix(hash_mix((uintptr_t)kind->owner, kind->place), kind->callers);
}

static inline bool is_of(const struct counted *counted, const struct sample_kind *kind)
{
	return counted->kind.callers == kind->callers && counted->kind.place == kind->place && counted->kind.owner == kind->owner;
}

static inline bool is_hint(const struct stack_counts *counts, const struct sample_kind *kind, u32 hint)
{
	const struct counted *counted = counted_at(counts, hint);

	return counted && is_of(counted, kind);
}

static u32 search(const struct stack_counts *counts, const struct sample_kind *kind, u32 hash)
{
	const struct hash_slot *slot;
	u32 i = hash;

	while ((slot = hash_index__next(&counts->index, hash, &i))) {
		if (is_of(number_table__find(&counts->kinds, slot->place - 1), kind))
			return counts->flushed + slot->place;
	}
	return 0;
}

u32 stack_counts__find(const struct stack_counts *counts, const struct sample_kind *kind, u32 hint)
{
	return is_hint(counts, kind, hint) ? hint : search(counts, kind, hash_of(kind));
}

static void fetch_likely(const struct stack_counts *counts, u32 hash)
{
	u32 i = hash;
	const struct hash_slot *slot = hash_index__next(&counts->index, hash, &i);

	if (slot)
		__builtin_prefetch(number_table__find(&counts->kinds, slot->place - 1));
}

/* Each step prefetches what the next one reads. */
void stack_counts__find_all(const struct stack_counts *counts, struct kind_search *s, size_t nr)
{
	struct kind_search *rest[STACK_SEARCHES];
	size_t nr_rest = 0;

	for (size_t i = 0; i < nr; i++)
		__builtin_prefetch(counted_at(counts, s[i].hint));
	for (size_t i = 0; i < nr; i++) {
		s[i].found = s[i].hint;
		if (is_hint(counts, &s[i].kind, s[i].hint))
			continue;
		s[i].hash = hash_of(&s[i].kind);
		hash_index__prefetch(&counts->index, s[i].hash);
		rest[nr_rest++] = &s[i];
	}
	for (size_t i = 0; i < nr_rest; i++)
		fetch_likely(counts, rest[i]->hash);
	for (size_t i = 0; i < nr_rest; i++)
		rest[i]->found = search(counts, &rest[i]->kind, rest[i]->hash);
}

static void tell(struct stack_counts *counts, u32 i)
{
	struct counted *counted = number_table__find(&counts->kinds, i);

	if (counted->kind.nr)
		counts->cb(*(const u64 *)number_table__find(&counts->where, i), counted->kind.nr, counted->period, counts->data);
	counted->kind.nr = counted->period = 0;
}

void stack_counts__count(struct stack_counts *counts, u32 handle, u64 period)
{
	struct counted *counted = counted_at(counts, handle);

	if (counted->kind.nr == UINT32_MAX)
		tell(counts, handle - counts->flushed - 1);
	counted->kind.nr++;
	counted->period += period;
}

void stack_counts__keep(struct stack_counts *counts, const struct sample_kind *kind, u64 where)
{
	const u32 place = counts->kinds.end;
	struct counted *counted;
	u64 *at;

	if (stack_counts__are_full(counts) || counts->flushed > UINT32_MAX - MAX_KINDS)
		return;
	at = number_table__get(&counts->where, place);
	counted = at ? number_table__get(&counts->kinds, place) : NULL;
	if (!counted)
		return;
	*at = where;
	*counted = (struct counted){ .kind = *kind };
	counted->kind.nr = 0;
	hash_index__add(&counts->index, hash_of(kind), place); /* without memory it is not found */
}

bool stack_counts__are_full(const struct stack_counts *counts)
{
	return counts->kinds.end >= MAX_KINDS;
}

void stack_counts__flush(struct stack_counts *counts)
{
	for (u32 i = 0; i < counts->kinds.end; i++)
		tell(counts, i);
	counts->flushed += counts->kinds.end;
	number_table__empty(&counts->kinds);
	number_table__empty(&counts->where);
	hash_index__empty(&counts->index);
}
