/* SPDX-License-Identifier: GPL-2.0 */
/* Output of counted samples without a file in between: a row of tally_formats, and one ops, for each format. */
#ifndef PERF_UI_TALLY_OUTPUT_H
#define PERF_UI_TALLY_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "util/push/target.h"
#include "util/session/session.h"

struct tally_output;

struct tally_output_ops {
	/* Add a counted sample. 0 or -ENOMEM. */
	int (*sample)(struct tally_output *out, const struct session_sample *sample);
	/* Return where the last added sample is counted, for .again; both may be NULL. */
	u64 (*last_place)(const struct tally_output *out);
	void (*again)(struct tally_output *out, u64 place, u64 nr, u64 period); /* count more samples there, with this sum of periods */
	int (*round)(struct tally_output *out); /* an interval is complete: 0 or -ENOMEM; may be NULL */
	void (*counts)(struct tally_output *out, u32 event, u64 not_counted, u64 dropped); /* optional: so far; before .round */
	/* Optional: hold these while records are resolved and rounds end: another thread looks at what was counted. */
	void (*lock)(struct tally_output *out);
	void (*unlock)(struct tally_output *out);
	/*
	 * Optional, between rounds: drop all that is of the session's threads, files and symbols, which will not be valid any more. With it
	 * the session forgets those that have ended, so that perf may run for long.
	 */
	void (*forget)(struct tally_output *out);
	int (*fd)(struct tally_output *out); /* optional: readable when the recording is to end; -1: nothing is */
	void (*finish)(struct tally_output *out); /* the recording has ended; may be NULL */
	void (*delete)(struct tally_output *out); /* takes NULL */
};

struct tally_output { /* first member of each format's own struct */
	const struct tally_output_ops *ops;
};

enum folded_weight { FOLDED_NONE, FOLDED_PERIODS, FOLDED_SAMPLES };

struct push;
struct profile_label;

struct tally_push_opts { /* must outlive the output */
	struct push *push; /* gets a profile each round */
	enum push_kind kind;
	u32 nr_events; /* more than the greatest index of an event */
	const struct profile_label *label; /* of all samples */
	u32 nr_labels;
};

struct tally_output_opts {
	FILE *fp;
	unsigned int key; /* TALLY_KEY_*: keys of separate rows; 0: the default, commands and code */
	unsigned int nr_texts; /* in raw data: see key-texts.h */
	bool many_events; /* print the names of events */
	enum folded_weight weight; /* what folded lines sum up */
	const struct tally_push_opts *push; /* of TALLY_PUSH */
};

struct tally_format {
	const char *name;
	struct tally_output *(*new)(const struct tally_output_opts *opts, struct errmsg *err); /* NULL, with err set */
};

enum {
	/* Lines of "command;outer;...;inner count" at the end, as stackcollapse-perf.pl prints them for flame graphs */
	TALLY_FOLDED,
	TALLY_TOP, /* a table each round; on a terminal it replaces the previous one */
	TALLY_PUSH, /* a profile each round, for a receiver */
	TALLY_NR_FORMATS,
};

extern const struct tally_format tally_formats[TALLY_NR_FORMATS];
/* Their rows, each in a file of its own */
struct tally_output *tally_folded__new(const struct tally_output_opts *opts, struct errmsg *err);
struct tally_output *tally_top__new(const struct tally_output_opts *opts, struct errmsg *err);
struct tally_output *tally_push__new(const struct tally_output_opts *opts, struct errmsg *err);

#endif
