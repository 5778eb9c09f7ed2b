// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct run { /* a run of items in ascending order: indices into the array */
	size_t from, end;
	size_t later; /* the first item that is not final yet */
};

struct order {
	struct order_item *item, *scratch; /* both of alloc items */
	size_t nr, alloc;
	struct run *run; /* cover all items; the item added first is in the first run */
	size_t *end; /* ends of runs with final items */
	size_t nr_runs, alloc_runs; /* of run and end */
	u64 max_time;	/* latest time of all records so far */
	u64 round_time; /* max_time at the end of the previous round */
};

struct order *order__new(void)
{
	return calloc(1, sizeof(struct order));
}

void order__delete(struct order *o)
{
	if (!o)
		return;
	free(o->item);
	free(o->scratch);
	free(o->run);
	free(o->end);
	free(o);
}

static int grow(struct order *o)
{
	size_t alloc = o->alloc ? o->alloc * 2 : 1024;
	struct order_item *item;

	item = reallocarray(o->item, alloc, sizeof(*item));
	if (!item)
		return -ENOMEM;
	o->item = item;
	item = reallocarray(o->scratch, alloc, sizeof(*item));
	if (!item)
		return -ENOMEM;
	o->scratch = item;
	o->alloc = alloc;
	return 0;
}

static int grow_runs(struct order *o)
{
	size_t alloc = o->alloc_runs ? o->alloc_runs * 2 : 64;
	struct run *run = reallocarray(o->run, alloc, sizeof(*run));
	size_t *end;

	if (!run)
		return -ENOMEM;
	o->run = run;
	end = reallocarray(o->end, alloc, sizeof(*end));
	if (!end)
		return -ENOMEM;
	o->end = end;
	o->alloc_runs = alloc;
	return 0;
}

int order__add(struct order *o, const struct order_item *item)
{
	if (o->nr == o->alloc && grow(o))
		return -ENOMEM;
	if (!o->nr_runs || item->time < o->item[o->nr - 1].time) {
		if (o->nr_runs == o->alloc_runs && grow_runs(o))
			return -ENOMEM;
		o->run[o->nr_runs++].from = o->nr;
	}
	o->item[o->nr++] = *item;
	o->run[o->nr_runs - 1].end = o->nr;
	if (item->time > o->max_time)
		o->max_time = item->time;
	return 0;
}

/* Find the first item, in ascending order, that is later than time. */
static const struct order_item *later(const struct order_item *from, const struct order_item *end, u64 time)
{
	while (from < end) {
		const struct order_item *mid = from + (end - from) / 2;

		if (mid->time <= time)
			from = mid + 1;
		else
			end = mid;
	}
	return from;
}

/* Returns the end of the copy. */
static struct order_item *copy(struct order_item *to, const struct order_item *from, const struct order_item *end)
{
	memcpy(to, from, (char *)end - (char *)from);
	return to + (end - from);
}

/* Without a branch, which the CPU could not predict, but which compilers make of a conditional expression. */
static inline const struct order_item *choose(bool second, const struct order_item *a, const struct order_item *b)
{
	return (const struct order_item *)((uintptr_t)a ^ (((uintptr_t)a ^ (uintptr_t)b) & -(uintptr_t)second));
}

/*
 * Merge two runs. If times are equal the left one comes first, which keeps the file's order. Returns the end of the result. It works from
 * both ends at once: a step waits for the one before it at its own end only.
 */
static struct order_item *merge(struct order_item *to, const struct order_item *a, const struct order_item *a_end, const struct order_item *b,
				const struct order_item *b_end)
{
	struct order_item *const end = to + (a_end - a) + (b_end - b), *last = end;

	if (b < b_end) { /* the second run may begin near the end of the first */
		const struct order_item *first = later(a, a_end, b->time);

		to = copy(to, a, first);
		a = first;
	}
	while (a < a_end && b < b_end) {
		size_t nr = a_end - a < b_end - b ? a_end - a : b_end - b; /* each end takes this many: there are at least twice as many */

		for (size_t i = 0; i < nr; i++) {
			bool take_b = b->time < a->time, end_with_a = b_end[-1].time < a_end[-1].time;

			*to++ = *choose(take_b, a, b);
			a += !take_b;
			b += take_b;
			*--last = choose(end_with_a, b_end, a_end)[-1];
			a_end -= end_with_a;
			b_end -= !end_with_a;
		}
	}
	copy(copy(to, a, a_end), b, b_end);
	return end;
}

/* Return how many items are later than until. */
static size_t find_later(struct order *o, u64 until)
{
	size_t nr = 0;

	for (size_t i = 0; i < o->nr_runs; i++) {
		struct run *run = &o->run[i];

		run->later = later(o->item + run->from, o->item + run->end, until) - o->item;
		nr += run->end - run->later;
	}
	return nr;
}

/* Move final items to scratch, and merge their runs in pairs on the way. Returns their number of runs. */
static size_t take_final(struct order *o)
{
	const struct order_item *item = o->item;
	struct order_item *to = o->scratch;
	const struct run *left = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < o->nr_runs; i++) {
		const struct run *run = &o->run[i];

		if (run->from == run->later)
			continue;
		if (!left) {
			left = run;
			continue;
		}
		to = merge(to, item + left->from, item + left->later, item + run->from, item + run->later);
		o->end[nr++] = to - o->scratch;
		left = NULL;
	}
	if (!left)
		return nr;
	to = copy(to, item + left->from, item + left->later);
	o->end[nr++] = to - o->scratch;
	return nr;
}

/* Move the others to the start. */
static void keep_later(struct order *o)
{
	struct order_item *to = o->item;
	size_t nr = 0;

	for (size_t i = 0; i < o->nr_runs; i++) {
		const struct run run = o->run[i];
		size_t in_run = run.end - run.later;

		if (!in_run)
			continue;
		memmove(to, o->item + run.later, in_run * sizeof(*to));
		o->run[nr].from = to - o->item;
		to += in_run;
		o->run[nr++].end = to - o->item;
	}
	o->nr_runs = nr;
	o->nr = to - o->item;
}

/* Merge the runs in scratch into one, there or behind the items that stay. Each CPU's records are a run: nr * log(CPUs). */
static const struct order_item *merge_all(struct order *o, size_t nr_runs)
{
	struct order_item *item = o->scratch, *to = o->item + o->nr;

	while (nr_runs > 1) {
		struct order_item *merged = to;
		size_t begin = 0, nr = 0;

		for (size_t i = 0; i < nr_runs; i += 2) {
			size_t mid = o->end[i], end = o->end[i + 1 < nr_runs ? i + 1 : i];

			merge(merged + begin, item + begin, item + mid, item + mid, item + end);
			o->end[nr++] = begin = end;
		}
		nr_runs = nr;
		to = item;
		item = merged;
	}
	return item;
}

static int deliver(struct order *o, u64 until, order_cb cb, void *data)
{
	size_t nr = o->nr - find_later(o, until), nr_runs;
	int ret;

	if (!nr)
		return 0;
	nr_runs = take_final(o);
	keep_later(o);
	ret = cb(merge_all(o, nr_runs), nr, data);
	return ret < 0 ? ret : 0;
}

int order__end_round(struct order *o, u64 final, order_cb cb, void *data)
{
	int ret = deliver(o, final > o->round_time ? final : o->round_time, cb, data);

	o->round_time = o->max_time;
	return ret;
}

int order__flush(struct order *o, order_cb cb, void *data)
{
	return deliver(o, UINT64_MAX, cb, data);
}

u64 order__memory(const struct order *o)
{
	return o->nr * (sizeof(*o->item) + sizeof(*o->scratch));
}
