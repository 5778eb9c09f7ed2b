/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A timeline cut into equal cells of time: for each thread and cell the sums of what the caller tells apart, such as stacks or states.
 * Spans, whose period is the time before the sample, are shared out to the cells that they cover, to the ns.
 */
#ifndef PERF_UI_PROFILE_TIME_CELLS_H
#define PERF_UI_PROFILE_TIME_CELLS_H

#include "ui/profile/profile.h"
#include "util/lib/hash-index.h"

#define TIME_CELLS_REST UINT32_MAX
#define TIME_CELLS_OTHERS UINT32_MAX

struct time_point {
	u32 row;       /* of the timeline; 0 with time_cells_opts.one_row */
	u32 cell, len; /* the first cell, and how many more it covers, each as much as the first */
	u32 place;     /* as time_cells_opts.place tells */
	u64 weight;    /* sum of the periods, of all cells together */
	u64 nr;	       /* of samples that end there */
};

struct time_cells_opts {
	u64 cell;     /* ns */
	u32 max;      /* of points */
	u32 event;    /* of the session; TIME_CELLS_REST: all */
	u32 nr_rows;  /* of the event that stay apart; the others are one row, TIME_CELLS_OTHERS */
	bool one_row; /* all are row 0 */
	/* What tells samples of a thread and a cell apart. */
	u32 (*place)(void *data, const struct stack_node *node);
	void *data;
};

struct time_cells {
	u64 first, end; /* ns of the recording's clock: begin of the first cell, and the last time of all samples */
	u64 cell;	/* ns */
	u32 nr_cells;
	struct time_point *point; /* by row, cell and length */
	u32 nr_points, alloc;
	struct hash_index points;
	u64 nr_timeless, timeless; /* samples without a time, which are in no cell, and the sum of their periods */
};

/* The first and last time of what the profile shows: time_cells.first and .end. false: no sample has a time. */
bool time_cells__measure(struct time_cells *c, const struct profile *profile);

/* After time_cells__measure(); may be called again. -ENOMEM, or -E2BIG: there would be more than opts->max. */
int time_cells__fill(struct time_cells *c, const struct profile *profile, const struct time_cells_opts *opts);
void time_cells__exit(struct time_cells *c);

/* The weight that lies in the nth cell of a point. */
static inline u64 time_point__in_cell(const struct time_point *p, u32 n)
{
	unsigned __int128 weight = p->weight, nr = (u64)p->len + 1;

	return (u64)(weight * (n + 1) / nr) - (u64)(weight * n / nr);
}

/* The width of a column of a picture with a row for each part of it: 1 s, or what is told; less for short recordings, and more for those that
 * would have more columns than this. */
u64 time_cells__column(const struct time_cells *c, u64 told, u32 max_columns);
/* The next step above; 0: none. */
u64 time_cells__wider(u64 column);

#endif
