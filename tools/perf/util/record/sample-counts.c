// SPDX-License-Identifier: GPL-2.0
#include "util/record/sample-counts.h"

#include <errno.h>
#include <stdlib.h>

struct id_row {
	u64 id;
	unsigned int event;
};

struct sample_counts {
	struct id_row *row; /* by id */
	size_t nr_rows;
	unsigned int nr_events;
	struct event_row {
		u64 nr_samples, period;
		unsigned int period_pos; /* among a sample's values; 0: not added up */
	} event[];
};

struct sample_counts *sample_counts__new(unsigned int nr_events)
{
	struct sample_counts *c = calloc(1, sizeof(*c) + nr_events * sizeof(c->event[0]));

	if (c)
		c->nr_events = nr_events;
	return c;
}

void sample_counts__delete(struct sample_counts *c)
{
	if (!c)
		return;
	free(c->row);
	free(c);
}

int sample_counts__add_ids(struct sample_counts *c, unsigned int event, const u64 *ids, u32 nr)
{
	struct id_row *row = realloc(c->row, (c->nr_rows + nr + 1) * sizeof(*row));
	u32 i;

	if (!row)
		return -ENOMEM;
	c->row = row;
	for (i = 0; i < nr; i++)
		row[c->nr_rows++] = (struct id_row){ ids[i], event };
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct id_row *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void sample_counts__sort_ids(struct sample_counts *c)
{
	if (c->nr_rows)
		qsort(c->row, c->nr_rows, sizeof(*c->row), compare);
}

void sample_counts__add_periods(struct sample_counts *c, unsigned int event, unsigned int pos)
{
	c->event[event].period_pos = pos;
}

static struct event_row *find_event(struct sample_counts *c, u64 id)
{
	const struct id_row key = { .id = id }, *row;

	if (c->nr_events == 1)
		return &c->event[0];
	row = c->nr_rows ? bsearch(&key, c->row, c->nr_rows, sizeof(key), compare) : NULL;
	return row ? &c->event[row->event] : NULL;
}

/* One thread writes, others read. */
static void add(u64 *sum, u64 value)
{
	__atomic_store_n(sum, *sum + value, __ATOMIC_RELAXED);
}

void sample_counts__count(struct sample_counts *c, const u64 *values)
{
	struct event_row *event = find_event(c, values[0]);

	if (!event)
		return;
	add(&event->nr_samples, 1);
	if (event->period_pos)
		add(&event->period, values[event->period_pos]);
}

u64 sample_counts__of(const struct sample_counts *c, unsigned int event)
{
	return __atomic_load_n(&c->event[event].nr_samples, __ATOMIC_RELAXED);
}

u64 sample_counts__period(const struct sample_counts *c, unsigned int event)
{
	return __atomic_load_n(&c->event[event].period, __ATOMIC_RELAXED);
}
