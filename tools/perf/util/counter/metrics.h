/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metric that perf stat shows beside a count, from it and another count or the time of the same run: instructions for each cycle,
 * rates. Those with names are a table, whose events -M can ask for.
 */
#ifndef PERF_COUNTER_METRICS_H
#define PERF_COUNTER_METRICS_H

#include <stdbool.h>
#include "util/counter/cells.h"

struct counter_metric {
	const char *name;	/* "insn_per_cycle"; NULL: the rate of an event that no named metric is for */
	const char *unit;	/* "CPUs"; of a rate "/sec", or with K, M or G before it */
	double value;		/* in that unit */
	double plain;		/* of a rate: a second, without K, M and G; otherwise the same as value */
	int decimals;
};

/* How its count is shown: "msec", "ns", a PMU's own unit or ""; and what a count of 1 is in it. */
const char *counter_event__unit(const struct evsel *evsel);
double counter_event__scale(const struct evsel *evsel);

/*
 * elapsed: ns that the cells were counted for. false: the event has no metric, or a count that it needs is missing or 0. A count belongs
 * to another one if both are of the same cgroup and of the same modes (:u, :k); clocks belong to all modes.
 */
bool counter_metric__find(const struct counter_cells *cells, unsigned int event, unsigned int group, double elapsed,
			  struct counter_metric *metric);
/* Which one it has as soon as the events that it needs have counted; its value is not set. false: none */
bool counter_metric__may_be(const struct counter_cells *cells, unsigned int event, unsigned int group, struct counter_metric *metric);

/* The names of all metrics that have one, by index; NULL: no more. */
const char *counter_metric__name(unsigned int i);
/* The events that a named metric needs, as -e takes them, where clock is the one to take. Returns buf; NULL: there is no such metric. */
const char *counter_metric__events(const char *name, const char *clock, char *buf, size_t size);

#endif
