/* SPDX-License-Identifier: GPL-2.0 */
/* The output of sample-bpf's histograms, round by round: a row of histogram_formats, and one ops, for each format. */
#ifndef PERF_UI_TALLY_HISTOGRAM_OUTPUT_H
#define PERF_UI_TALLY_HISTOGRAM_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "util/lib/types.h"
#include "util/source/tally.h"

struct histogram_output;

struct histogram_output_ops {
	/* Add a row of the current round. 0 or -ENOMEM. */
	int (*row)(struct histogram_output *out, u32 event, const struct tally_row *row);
	int (*round)(struct histogram_output *out); /* the round is complete: 0 or -ENOMEM */
	/* The recording has ended; counts has an element for each event. */
	void (*finish)(struct histogram_output *out, const struct tally_counts *counts);
	void (*delete)(struct histogram_output *out); /* takes NULL */
};

struct histogram_output { /* first member of each format's own struct */
	const struct histogram_output_ops *ops;
};

struct histogram_output_opts { /* the caller owns what it points to, which must outlive the output */
	FILE *fp;
	unsigned int key;	/* TALLY_KEY_*: keys of separate histograms */
	const char *const *event; /* names */
	u32 nr_events;
	const char *number;	/* the counted number; NULL: the time from the first event to end */
	const char *end;	/* with number NULL */
	const char *unit;	/* with number NULL: unit of the buckets: "ns", "us" or "ms" */
	unsigned int interval;	/* ms per round; 0: a single round */
};

struct histogram_format {
	const char *name;
	struct histogram_output *(*new)(const struct histogram_output_opts *opts); /* NULL: out of memory */
};

enum {
	HISTOGRAM_TEXT, /* bars after each round; for times with an interval a heat map, and bars of all at the end */
	/*
	 * {"number":NAME, or "unit":"ns"; "interval_ms":n if there is one;
	 *  "rounds":[{"time":seconds, "histograms":[{"event":NAME or "from":NAME,"to":NAME, KEY:VALUE..., "count":n, "sum":n, "min":n,
	 *					     "max":n, "buckets":[{"low":n,"high":n,"count":n}...]}...]}...],
	 *  "events":[{"event":NAME or "from","to"; "seen":n, "dropped":n, "missed":n, "lost":n, "open_starts":n, "lone_ends":n}...]}
	 * in one line. sum is left out where it exceeded 64 bits.
	 */
	HISTOGRAM_JSON,
	HISTOGRAM_NR_FORMATS,
};

extern const struct histogram_format histogram_formats[HISTOGRAM_NR_FORMATS];
/* Their rows, each in a file of its own */
struct histogram_output *histogram_text__new(const struct histogram_output_opts *opts);
struct histogram_output *histogram_json__new(const struct histogram_output_opts *opts);

#endif
