/* SPDX-License-Identifier: GPL-2.0 */
/* Private to ui/stat: what the formats share. */
#ifndef PERF_UI_STAT_OUTPUT_OPS_H
#define PERF_UI_STAT_OUTPUT_OPS_H

#include <locale.h>
#include "ui/stat/output.h"
#include "util/counter/metrics.h"

struct stat_row { /* an event of a group */
	const struct evsel *evsel;
	const struct counter_group *group;
	const struct counter_cell *cell;
	bool has_metric;
	struct counter_metric metric;
};

struct stat_ops { /* members may be NULL, except .row and .metrics */
	bool localized; /* it is for people: numbers as the locale writes them */
	void (*title)(struct stat_output *out, const char *what, unsigned int nr_runs);
	void (*heading)(struct stat_output *out); /* above the first interval */
	void (*row)(struct stat_output *out, const struct stat_row *row);
	void (*end_rows)(struct stat_output *out);
	/* --metric-only: the names of the columns, once; all metrics of a group */
	void (*metric_names)(struct stat_output *out, const struct stat_row *rows, unsigned int nr);
	void (*metrics)(struct stat_output *out, const struct stat_row *rows, unsigned int nr);
	void (*times)(struct stat_output *out, const struct stat_times *times);
};
extern const struct stat_ops stat_text_ops, stat_csv_ops, stat_json_ops;

struct stat_output {
	struct stat_output_opts opts;
	const struct counter_groups *groups;
	const struct stat_ops *ops;
	locale_t locale; /* of numbers; 0: that of the process */
	struct stat_interval interval; /* that is printed now */
	bool has_heading, has_names;
	int unit_width;
	bool began; /* in JSON: the line has a key already */
};

/* How the columns of groups look, by enum counter_by. */
struct stat_group_column {
	const char *name; /* in the heading of intervals */
	const char *key;  /* in JSON; NULL: none */
	int width;
	bool has_nr;	  /* with the number of counters */
};
extern const struct stat_group_column stat_group_columns[];

/* The unit and the name, as other perfs show them: "cs/sec  cs_per_second". Returns buf. */
const char *stat_metric__unit(const struct counter_metric *metric, char *buf, size_t size);
/* The name of a metric's column in --metric-only. Returns buf. */
const char *stat_metric__column(const struct stat_row *row, char *buf, size_t size);
/* The count as it is shown: clocks in ms, others in the unit of their PMU; and the digits behind its point */
double stat_row__value(const struct stat_row *row);
int stat_row__decimals(const struct stat_row *row);
const char *stat_row__unit(const struct stat_row *row);
/* "<not counted>"; NULL: it was counted */
const char *stat_row__why_not(const struct stat_row *row);

#endif
