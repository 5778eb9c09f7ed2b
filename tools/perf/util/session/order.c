// SPDX-License-Identifier: GPL-2.0
#include "util/session/order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct order {
	struct order_item *item, *scratch; /* both of alloc items */
	size_t nr, alloc;
	u64 max_time;	/* of all records so far */
	u64 round_time; /* max_time at the end of the round before */
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

int order__add(struct order *o, const struct order_item *item)
{
	if (o->nr == o->alloc && grow(o))
		return -ENOMEM;
	o->item[o->nr++] = *item;
	if (item->time > o->max_time)
		o->max_time = item->time;
	return 0;
}

/* End of the ascending run that begins at from. */
static size_t run_end(const struct order *o, size_t from)
{
	size_t i = from + 1;

	while (i < o->nr && o->item[i - 1].time <= o->item[i].time)
		i++;
	return i < o->nr ? i : o->nr;
}

/* Merge item[from, mid) and item[mid, end) into scratch; the left one first where times are equal keeps the file's order. */
static void merge(struct order *o, size_t from, size_t mid, size_t end)
{
	const struct order_item *a = o->item + from, *a_end = o->item + mid;
	const struct order_item *b = a_end, *b_end = o->item + end;
	struct order_item *to = o->scratch + from;

	/* Which of them it is cannot be predicted: no branches. */
	while (a < a_end && b < b_end) {
		bool take_b = b->time < a->time;

		*to++ = *(take_b ? b : a);
		a += !take_b;
		b += take_b;
	}
	memcpy(to, a, (char *)a_end - (char *)a);
	to += a_end - a;
	memcpy(to, b, (char *)b_end - (char *)b);
}

/* Natural merge sort: each CPU's records are an ascending run already, so a round costs nr * log(CPUs). */
static void sort(struct order *o)
{
	while (o->nr && run_end(o, 0) < o->nr) {
		struct order_item *item = o->item;
		size_t from, mid, end;

		for (from = 0; from < o->nr; from = end) {
			mid = run_end(o, from);
			end = mid < o->nr ? run_end(o, mid) : mid;
			merge(o, from, mid, end);
		}
		o->item = o->scratch;
		o->scratch = item;
	}
}

static int deliver(struct order *o, u64 until, order_cb cb, void *data)
{
	size_t nr = 0;
	int ret;

	sort(o);
	while (nr < o->nr && o->item[nr].time <= until)
		nr++;
	ret = nr ? cb(o->item, nr, data) : 0;
	o->nr -= nr;
	if (o->nr)
		memmove(o->item, o->item + nr, o->nr * sizeof(*o->item));
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
