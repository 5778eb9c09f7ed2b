/* SPDX-License-Identifier: GPL-2.0 */
/* Counts as they are shown: one cell for each event and group, with multiplexing scaled out, over one run or several. */
#ifndef PERF_COUNTER_CELLS_H
#define PERF_COUNTER_CELLS_H

#include <stdbool.h>
#include "util/counter/counters.h"
#include "util/counter/groups.h"
#include "util/counter/stats.h"

enum counter_state {
	COUNTER_NOT_SUPPORTED,	/* this machine or kernel has no such event */
	COUNTER_NOT_COUNTED,	/* it had no turn on a counter, or was not enabled */
	COUNTER_COUNTED,	/* also 0, if the tasks did not run: they caused no event */
};

struct counter_cell { /* starts zeroed */
	enum counter_state state;
	unsigned int nr;	/* number of counters added up: places where the event is open */
	struct stats value;	/* of each run that counted */
	u64 enabled, running;	/* ns, the sum over places and runs */
	u64 raw;		/* the sum over places and runs without scaling */
};

struct counter_cells {
	const struct evlist *evlist;
	const struct counter_groups *groups;
	struct counter_cell *cell; /* events x groups */
	struct counter_sum *sums; /* private: by group */
};

/* Both must outlive the cells. -ENOMEM */
int counter_cells__init(struct counter_cells *cells, const struct evlist *evlist, const struct counter_groups *groups);
void counter_cells__exit(struct counter_cells *cells);

/*
 * Add what c has read as one run. A place that counted only a part of its time is scaled to the whole of it, unless scale is false; one
 * that had no turn at all takes the rate of its group.
 */
void counter_cells__add(struct counter_cells *cells, const struct counters *c, enum counter_span span, bool scale);

static inline const struct counter_cell *counter_cells__at(const struct counter_cells *cells, unsigned int event, unsigned int group)
{
	return &cells->cell[(size_t)event * cells->groups->nr + group];
}

/* How much of its enabled time it was running: 0 to 100; 0 if it was not counted. */
double counter_cell__percent(const struct counter_cell *cell);
/* ns a run was running, on average */
u64 counter_cell__runtime(const struct counter_cell *cell);

#endif
