// SPDX-License-Identifier: GPL-2.0
#include "util/counter/cells.h"

#include <errno.h>
#include <stdlib.h>

struct counter_sum { /* of one run */
	unsigned int nr;
	double value;
	u64 raw, enabled, running;
	u64 covered; /* enabled time of the places that had a turn */
};

int counter_cells__init(struct counter_cells *cells, const struct evlist *evlist, const struct counter_groups *groups)
{
	cells->evlist = evlist;
	cells->groups = groups;
	cells->cell = calloc((size_t)evlist->nr * groups->nr + 1, sizeof(*cells->cell));
	cells->sums = calloc(groups->nr + 1, sizeof(*cells->sums));
	if (cells->cell && cells->sums)
		return 0;
	counter_cells__exit(cells);
	return -ENOMEM;
}

void counter_cells__exit(struct counter_cells *cells)
{
	free(cells->cell);
	free(cells->sums);
	cells->cell = NULL;
	cells->sums = NULL;
}

static void sum__add(struct counter_sum *sum, const struct counter_value *v, bool scale)
{
	sum->nr++;
	sum->raw += v->value;
	sum->enabled += v->enabled;
	sum->running += v->running;
	if (!v->running)
		return;
	sum->covered += v->enabled;
	sum->value += scale && v->running < v->enabled ? (double)v->value * v->enabled / v->running : (double)v->value;
}

/* Tasks that did not run enable nothing: nothing could be missed. */
static enum counter_state state_of(const struct counter_sum *sum, bool was_on)
{
	if (!sum->nr || !was_on)
		return COUNTER_NOT_COUNTED;
	return sum->running || !sum->enabled ? COUNTER_COUNTED : COUNTER_NOT_COUNTED;
}

static void cell__add(struct counter_cell *cell, const struct counter_sum *sum, bool was_on, bool scale)
{
	const enum counter_state state = state_of(sum, was_on);
	double value = sum->value;

	cell->nr = sum->nr;
	if (cell->state != COUNTER_COUNTED)
		cell->state = state;
	if (state != COUNTER_COUNTED)
		return;
	if (scale && sum->covered && sum->covered < sum->enabled)
		value *= (double)sum->enabled / sum->covered;
	stats__add(&cell->value, value);
	cell->raw += sum->raw;
	cell->enabled += sum->enabled;
	cell->running += sum->running;
}

static void add_event(struct counter_cells *cells, const struct counters *c, unsigned int event, enum counter_span span, bool scale,
		      struct counter_sum *sums)
{
	const struct counter_groups *groups = cells->groups;
	struct counter_cell *cell = &cells->cell[(size_t)event * groups->nr];
	struct counter_value value;
	unsigned int nr_places, i;

	counters__places(c, &nr_places);
	for (i = 0; i < groups->nr; i++)
		sums[i] = (struct counter_sum){ 0 };
	for (i = 0; i < nr_places; i++) {
		if (counters__value(c, event, i, span, &value))
			sum__add(&sums[groups->of_place[i]], &value, scale);
	}
	for (i = 0; i < groups->nr; i++)
		cell__add(&cell[i], &sums[i], counters__was_on(c, event, span), scale);
}

void counter_cells__add(struct counter_cells *cells, const struct counters *c, enum counter_span span, bool scale)
{
	struct counter_sum *sums = cells->sums;

	for (unsigned int i = 0; i < cells->evlist->nr; i++) {
		if (counters__is_supported(c, i))
			add_event(cells, c, i, span, scale, sums);
	}
}

double counter_cell__percent(const struct counter_cell *cell)
{
	if (cell->state != COUNTER_COUNTED)
		return 0;
	return cell->enabled ? 100.0 * cell->running / cell->enabled : 100;
}

u64 counter_cell__runtime(const struct counter_cell *cell)
{
	return cell->value.nr ? cell->running / cell->value.nr : 0;
}
