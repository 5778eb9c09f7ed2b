// SPDX-License-Identifier: GPL-2.0
/* The parts that all tests are lowered to: entries, ranges of a slot, and automata of patterns. */
#include <stdlib.h>
#include <string.h>
#include "util/filter/lower.h"

int lowering__emit(struct lowering *l, struct filter_entry entry, int jt, int jf)
{
	if (l->nr < FILTER_MAX_ENTRIES)
		l->draft[l->nr] = (struct draft){ entry, jt, jf, l->clause };
	return l->nr++;
}

int lowering__emit_part(struct lowering *l, enum filter_term slot, unsigned int shift, unsigned int cond, u64 mask, u64 value,
			int jt, int jf)
{
	struct filter_entry entry = { .term = slot, .shift = shift, .cond = cond, .mask = mask, .value = value };

	return lowering__emit(l, entry, jt, jf);
}

int lowering__emit_indexed(struct lowering *l, enum filter_term slot, unsigned int index, int jt, int jf)
{
	return lowering__emit_part(l, slot, index, FILTER_EQ, 1, 1, jt, jf);
}

static int by_first(const void *a, const void *b)
{
	const struct filter_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

unsigned int filter_ranges__merge(struct filter_range *r, unsigned int nr)
{
	unsigned int last = 0, i;

	if (!nr)
		return 0;
	qsort(r, nr, sizeof(*r), by_first);
	for (i = 1; i < nr; i++) {
		if (r[last].last == UINT64_MAX || r[i].first <= r[last].last + 1) {
			if (r[i].last > r[last].last)
				r[last].last = r[i].last;
		} else {
			r[++last] = r[i];
		}
	}
	return last + 1;
}

/*
 * Emit one range of an ascending list: jt if the value is in it, below if it is less (and so in none of the later ranges either),
 * above if it is greater. One entry suffices for a single value, for a range that starts at 0 or ends at the greatest number, and
 * for an aligned power of two, where the low bits are masked.
 */
static int lower_range(struct lowering *l, const struct slot_part *p, const struct filter_range *r, int jt, int below, int above)
{
	u64 inner = r->last - r->first; /* all ones below the size if that is a power of two */
	int upper;

	if (!r->first)
		return lowering__emit_part(l, p->slot, p->shift, FILTER_LE, p->mask, r->last, jt, above);
	if (r->last >= p->mask)
		return lowering__emit_part(l, p->slot, p->shift, FILTER_GE, p->mask, r->first, jt, below);
	if (!(inner & (inner + 1)) && !(r->first & inner))
		return lowering__emit_part(l, p->slot, p->shift, FILTER_EQ, p->mask & ~inner, r->first, jt, above);
	upper = lowering__emit_part(l, p->slot, p->shift, FILTER_LE, p->mask, r->last, jt, above);
	return lowering__emit_part(l, p->slot, p->shift, FILTER_GE, p->mask, r->first, upper, below);
}

int lowering__ranges(struct lowering *l, const struct slot_part *part, const struct filter_range *ranges, unsigned int nr, int jt,
		     int jf)
{
	int next = jf;

	while (nr-- > 0)
		next = lower_range(l, part, &ranges[nr], jt, jf, next);
	return next;
}

unsigned int lowering__glob(struct lowering *l, const struct glob *glob)
{
	struct filter_glob automaton;
	unsigned int i;

	glob__to_automaton(glob, &automaton);
	for (i = 0; i < l->nr_globs && i < FILTER_MAX_GLOBS; i++) {
		if (!memcmp(&l->table->words.glob[i], &automaton, sizeof(automaton)))
			return i;
	}
	if (i < FILTER_MAX_GLOBS)
		l->table->words.glob[i] = automaton;
	return l->nr_globs++;
}

unsigned int lowering__text(struct lowering *l, const char *text, unsigned int len)
{
	struct filter_text *slot = l->table->words.text;
	unsigned int i;

	for (i = 0; i < l->nr_texts && i < FILTER_MAX_TEXTS; i++) {
		if (slot[i].len == len && !memcmp(slot[i].bytes, text, len))
			return i;
	}
	if (i < FILTER_MAX_TEXTS) {
		slot[i].len = len;
		memcpy(slot[i].bytes, text, len);
	}
	return l->nr_texts++;
}
