/* SPDX-License-Identifier: GPL-2.0 */
/* What is shown of counted samples without a file between: one ops for each form. */
#ifndef PERF_UI_TALLY_OUTPUT_H
#define PERF_UI_TALLY_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "util/session/session.h"

struct counts_output;

struct counts_output_ops {
	/* Take a counted sample. 0 or -ENOMEM. */
	int (*sample)(struct counts_output *out, const struct session_sample *sample);
	/* Where the sample that was taken last is counted, for .again; both may be NULL. */
	u64 (*last_place)(const struct counts_output *out);
	void (*again)(struct counts_output *out, u64 place, u64 nr); /* more samples belong there */
	int (*round)(struct counts_output *out); /* all samples of an interval are there: the same; may be NULL */
	void (*finish)(struct counts_output *out); /* the recording is over; may be NULL */
	void (*delete)(struct counts_output *out); /* takes NULL */
};

struct counts_output { /* first member of each form */
	const struct counts_output_ops *ops;
};

struct counts_output_opts {
	FILE *fp;
	unsigned int key; /* TALLY_KEY_*: what the user wants to see apart; 0: did not say, so commands and code */
	bool many_events; /* name them */
};

/* At the end lines of "command;outer;...;inner count", as stackcollapse-perf.pl makes them for flame graphs. NULL: no memory. */
struct counts_output *folded_output__new(const struct counts_output_opts *opts);

/* Each round a table; on a terminal in the place of the one before. NULL: no memory. */
struct counts_output *top_output__new(const struct counts_output_opts *opts, struct errmsg *err);

#endif
