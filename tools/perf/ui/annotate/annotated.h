/* SPDX-License-Identifier: GPL-2.0 */
/* A function with its code, and the samples of each instruction: what all forms of annotated code are made of. */
#ifndef PERF_UI_ANNOTATE_ANNOTATED_H
#define PERF_UI_ANNOTATE_ANNOTATED_H

#include <stdio.h>
#include "util/annotate/code.h"
#include "util/annotate/hits.h"
#include "util/hist/hist.h"

enum annotate_percent { /* what the percentages of a line are taken of: samples or periods, of its function or of all */
	ANNOTATE_LOCAL_PERIOD,
	ANNOTATE_LOCAL_HITS,
	ANNOTATE_GLOBAL_PERIOD,
	ANNOTATE_GLOBAL_HITS,
	ANNOTATE_NR_PERCENTS,
};

extern const char *const annotate_percents[ANNOTATE_NR_PERCENTS]; /* "local period" */

struct annotate_view_opts {
	enum annotate_percent percent;
	bool source, full_paths, print_lines, show_period, show_samples;
	bool types; /* of the data that instructions access */
};

struct annotate_source { /* where functions and their code come from */
	struct resolver *resolver;
	const struct code_hits *hits;
	const struct code_opts *code;
	const struct annotate_view_opts *view;
};

struct annotated_event { /* one of a group; the caller's, except for sum */
	const char *name;
	const struct hists *hists; /* for shares of all samples */
	const struct code_function_hits *function; /* NULL: no samples */
	struct code_sum *sum; /* by instruction */
};

struct annotated {
	struct annotate_source source;
	struct location loc; /* of some instruction of the function */
	struct annotated_event *event;
	u32 nr_events;
	struct code_text code;
	u32 *line; /* of each instruction, in the code's */
	const struct data_type **type; /* that it accesses; NULL: it accesses none, or it is not known. All NULL without view->types */
	u32 nr;	   /* instructions */
};

/*
 * Read the code of the function at a location, and add up the samples of each event; a takes event over. 0, or -errno with a message, as
 * code_text__read(); then there is nothing to free.
 */
int annotated__init(struct annotated *a, const struct annotate_source *source, const struct location *loc, const struct annotated_event *event,
		    u32 nr_events, struct errmsg *err);
void annotated__exit(struct annotated *a);
/* Add up again, after more samples or with other events: nr_events of them, as before. */
void annotated__count(struct annotated *a, const struct annotated_event *event);

u64 annotated__size(const struct annotated *a); /* of the function, in bytes */
/* The share of an instruction, by the view's percent. */
double annotated__percent(const struct annotated *a, u32 event, u32 instruction);
/* "# data-type: struct node +0x10 (next)", after some text; nothing if it accesses none */
void annotated__put_type(const struct annotated *a, u32 instruction, const char *before, FILE *fp);
/* "file.c:12", malloc'ed; NULL: unknown */
char *annotated__place(const struct annotated *a, u32 instruction);

#endif
