// SPDX-License-Identifier: GPL-2.0
#include "ui/profile/time-cells.h"

#include <errno.h>
#include <stdlib.h>
#include "util/lib/array.h"

#define SECOND 1000000000ull

static bool is_span(const struct profile *profile, const struct timeline_row *row)
{
	return profile_event__has_spans(profile->timeline_event[row->event]);
}

static u64 begin_of(const struct timeline_sample *s, bool span)
{
	return !span ? s->time : s->period < s->time ? s->time - s->period : 1;
}

bool time_cells__measure(struct time_cells *c, const struct profile *profile)
{
	const struct timeline *t = profile->timeline;

	c->first = 0;
	c->end = t->last;
	for (u32 i = 0; i < t->nr_rows; i++) {
		bool span = is_span(profile, &t->row[i]);

		for (size_t k = 0; k < t->row[i].nr; k++) {
			const struct timeline_sample *s = &t->row[i].sample[k];

			if (s->time && (!c->first || begin_of(s, span) < c->first))
				c->first = begin_of(s, span);
		}
	}
	return c->first;
}

static bool is_same(const struct time_point *a, const struct time_point *b)
{
	return a->row == b->row && a->cell == b->cell && a->len == b->len && a->place == b->place;
}

static int reserve(struct time_cells *c, u32 max)
{
	if (c->nr_points == max)
		return -E2BIG;
	return array__grow(c->point, c->nr_points, c->alloc);
}

static int add_point(struct time_cells *c, u32 max, const struct time_point *p)
{
	u32 hash = hash_mix(hash_mix(hash_mix(hash_mix(0, p->row), p->cell), p->len), p->place), i = hash;
	const struct hash_slot *slot;
	int ret;

	while ((slot = hash_index__next(&c->points, hash, &i))) {
		struct time_point *old = &c->point[slot->place - 1];

		if (!is_same(old, p))
			continue;
		old->weight += p->weight;
		old->nr += p->nr;
		return 0;
	}
	ret = reserve(c, max);
	if (ret)
		return ret;
	if (hash_index__add(&c->points, hash, c->nr_points))
		return -ENOMEM;
	c->point[c->nr_points++] = *p;
	return 0;
}

/* What lies in its first cell, in those between, and in its last one, which counts the sample. */
static int add_span(struct time_cells *c, u32 max, struct time_point p, u64 begin, u64 end)
{
	u32 first = (begin - c->first) / c->cell, last = (end - 1 - c->first) / c->cell;
	u64 from = c->first + (first + 1) * c->cell, to = c->first + last * c->cell;
	int ret;

	if (begin >= end || first == last) {
		p.cell = first;
		return add_point(c, max, &p);
	}
	ret = add_point(c, max, &(struct time_point){ .row = p.row, .cell = first, .place = p.place, .weight = from - begin });
	if (!ret && last - first > 1)
		ret = add_point(c, max, &(struct time_point){ .row = p.row, .cell = first + 1, .len = last - first - 2, .place = p.place,
							       .weight = to - from });
	if (ret)
		return ret;
	p.cell = last;
	p.weight = end - to;
	return add_point(c, max, &p);
}

static int add_row(struct time_cells *c, const struct profile *profile, const struct time_cells_opts *o, const struct timeline_row *r, u32 row)
{
	bool span = is_span(profile, r);
	int ret = 0;

	for (size_t i = 0; i < r->nr && !ret; i++) {
		const struct timeline_sample *s = &r->sample[i];
		u64 begin = begin_of(s, span);

		if (!s->time) {
			c->nr_timeless += s->nr;
			c->timeless += s->period;
			continue;
		}
		ret = add_span(c, o->max, (struct time_point){ .row = row, .place = o->place(o->data, s->node), .weight = s->period, .nr = s->nr }, begin,
			       s->time);
	}
	return ret;
}

static int point__cmp(const void *a, const void *b)
{
	const struct time_point *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

int time_cells__fill(struct time_cells *c, const struct profile *profile, const struct time_cells_opts *o)
{
	const struct timeline *t = profile->timeline;
	u32 nr_rows = 0;
	int ret = 0;

	c->cell = o->cell;
	c->nr_cells = (c->end - c->first) / c->cell + 1;
	c->nr_points = 0;
	c->nr_timeless = c->timeless = 0;
	hash_index__empty(&c->points);
	for (u32 i = 0; i < t->nr_rows && !ret; i++) {
		if (o->event == TIME_CELLS_REST || t->row[i].event == o->event)
			ret = add_row(c, profile, o, &t->row[i], o->one_row ? 0 : nr_rows++ < o->nr_rows ? i : TIME_CELLS_OTHERS);
	}
	if (!ret && c->nr_points)
		qsort(c->point, c->nr_points, sizeof(*c->point), point__cmp);
	return ret;
}

void time_cells__exit(struct time_cells *c)
{
	free(c->point);
	hash_index__exit(&c->points);
}

static const u64 steps[] = { SECOND / 1000, SECOND / 100, SECOND / 10, SECOND, 10 * SECOND, 60 * SECOND, 600 * SECOND, 3600 * SECOND, 36000 * SECOND,
			     360000 * SECOND, 3600000 * SECOND };

u64 time_cells__wider(u64 column)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(steps) && steps[i] <= column)
		i++;
	return i < ARRAY_SIZE(steps) ? steps[i] : column <= UINT64_MAX / 10 ? 10 * column : 0;
}

u64 time_cells__column(const struct time_cells *c, u64 told, u32 max_columns)
{
	u64 all = c->end - c->first, column = told ?: all >= 5 * SECOND ? SECOND : all >= SECOND / 2 ? SECOND / 10 : SECOND / 100;

	while (all / column >= max_columns)
		column = time_cells__wider(column);
	return column;
}
