/* SPDX-License-Identifier: GPL-2.0 */
/* The views of perf report: each shows a recording in its own way, and is a row of the table in view.c. */
#ifndef PERF_CMD_REPORT_VIEW_H
#define PERF_CMD_REPORT_VIEW_H

#include "cmd/report/options.h"
#include "ui/progress.h"
#include "util/session/session.h"

struct report_view { /* the first member of each view's own struct, which is zeroed but for this */
	const struct report_view_ops *ops;
	struct report_options *options;
	struct session *session;
	struct progress progress; /* for views that read all samples one by one */
};

struct report_view_ops {
	size_t size; /* of the view's own struct */
	bool no_symbols;
	bool (*wanted)(const struct report_view_options *o);
	int (*init)(struct report_view *v, struct errmsg *err); /* 0 or -errno; NULL: nothing is to be done */
	struct session_ops reading; /* their data is the view; a session that is only counted needs no .sample */
	int (*finish)(struct report_view *v); /* after reading; returns the exit status */
	void (*exit)(struct report_view *v);  /* after init, whatever it returned, and without it; may be NULL */
};

extern const struct report_view_ops rows_view, profile_view, folded_view, stats_view, tasks_view, dump_view;

/* The view that the options ask for. */
const struct report_view_ops *report_view__choose(const struct report_options *o);

/* Read the recording and show it. Returns the exit status. */
int report_view__run(const struct report_view_ops *ops, struct report_options *o, struct session *s);

/* For views: the facts about the recording if they are asked for, else how to ask for them. */
void report_view__print_header(const struct report_view *v);
void report_view__print_header_hint(const struct report_view *v); /* nothing with -q */

/*
 * For views of whole stacks, in .sample, where samples that are shown are added to what they have in common at place: let the session
 * deliver others that belong there to .again. 0, or -ENOMEM with place 0: there was no memory for it.
 */
int report_view__count_at(const struct report_view *v, const struct session_sample *sample, u64 place);

/* For views, in .sample: is the sample to be shown? Moves the progress on. */
bool report_view__shows(struct report_view *v, const struct session_sample *sample);

#endif
