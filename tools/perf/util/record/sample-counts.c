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
	u64 nr_samples[]; /* by event */
};

struct sample_counts *sample_counts__new(unsigned int nr_events)
{
	return calloc(1, sizeof(struct sample_counts) + nr_events * sizeof(u64));
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

void sample_counts__count(struct sample_counts *c, u64 id)
{
	const struct id_row key = { .id = id }, *row;

	row = c->nr_rows ? bsearch(&key, c->row, c->nr_rows, sizeof(key), compare) : NULL;
	if (row)
		__atomic_store_n(&c->nr_samples[row->event], c->nr_samples[row->event] + 1, __ATOMIC_RELAXED);
}

u64 sample_counts__of(const struct sample_counts *c, unsigned int event)
{
	return __atomic_load_n(&c->nr_samples[event], __ATOMIC_RELAXED);
}
