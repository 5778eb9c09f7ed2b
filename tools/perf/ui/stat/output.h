/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf stat prints: text for people, CSV (-x) or JSON (-j), with one set of functions for each. The layouts are those of
 * other perfs, so that scripts can read them.
 */
#ifndef PERF_UI_STAT_OUTPUT_H
#define PERF_UI_STAT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "util/counter/cells.h"

struct stat_output_opts {
	FILE *fp;
	const char *separator;	/* CSV with this between fields; NULL: text */
	bool json;
	bool big_num;		/* in text: group the digits of counts as the locale does */
	bool metric_only;
	const char *metrics;	/* with commas between: show these metrics only; NULL: all */
	bool hide_zero;
	bool cgroups;		/* events belong to cgroups: a column of their names */
	bool single_runs;	/* in text: the table of --table */
	bool mark_summary;	/* in CSV: begin the lines of the summary of -I with "summary" */
	bool clear;		/* clear the screen before each interval */
	unsigned int nr_runs;	/* -r; more than 1: show noise */
};

struct stat_interval {
	bool is_one;	/* counts of an interval, not of runs */
	double at;	/* seconds since counting began */
};

struct stat_times { /* of the runs; in ns, and the CPU time of the command in us */
	struct stats elapsed;
	const double *run;	/* elapsed.nr of them, for --table */
	bool has_usage;
	double user, sys;
};

struct stat_output;

/* Both must outlive the output. NULL: no memory. */
struct stat_output *stat_output__new(const struct stat_output_opts *opts, const struct counter_groups *groups);
void stat_output__delete(struct stat_output *out);

/* "Performance counter stats for WHAT:", in text only. nr_runs: that were made, which can be fewer than asked for */
void stat_output__title(struct stat_output *out, const char *what, unsigned int nr_runs);
/* The counts of an interval, or of all runs. elapsed: ns they were counted for */
void stat_output__cells(struct stat_output *out, const struct counter_cells *cells, double elapsed, const struct stat_interval *interval);
/* Elapsed time and what the command used, in text only */
void stat_output__times(struct stat_output *out, const struct stat_times *times);

#endif
