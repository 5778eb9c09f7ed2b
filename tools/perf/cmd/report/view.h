/* SPDX-License-Identifier: GPL-2.0 */
/* The views of perf report: each shows a recording in its own way, and has a row in the table in view.c. */
#ifndef PERF_CMD_REPORT_VIEW_H
#define PERF_CMD_REPORT_VIEW_H

#include "cmd/report/kinds.h"
#include "cmd/report/options.h"
#include "ui/progress.h"
#include "util/session/session.h"

struct report_view { /* first member of each view's own struct, which is otherwise zeroed */
	const struct report_view_ops *ops;
	struct report_options *options;
	struct session *session;
	struct progress progress; /* for views that read all samples one by one */
	u32 warnings_before;	  /* log__nr_warnings() before this recording was read */
	struct report_kinds kinds; /* of views that call report_view__count_kinds(), or have it call for them */
};

struct report_view_ops {
	size_t size; /* of the view's own struct */
	bool no_symbols;
	bool (*wanted)(const struct report_view_options *o);
	int (*init)(struct report_view *v, struct errmsg *err); /* 0 or -errno; may be NULL */
	struct session_ops reading; /* gets the view as data; a session that only counts records needs no .sample */
	int (*finish)(struct report_view *v); /* after reading; returns the exit status */
	void (*exit)(struct report_view *v);  /* after init, even if that failed or is NULL; may be NULL */
};

extern const struct report_view_ops rows_view, profile_view, folded_view, stats_view, tasks_view, dump_view;

/* The view that the options choose. */
const struct report_view_ops *report_view__choose(const struct report_options *o);

/* The first option for a profile that is given, as typed; NULL: none. */
const char *report_view__profile(const struct report_view_options *o);

/* Read the recording and show it. Returns the exit status. */
int report_view__run(const struct report_view_ops *ops, struct report_options *o, struct session *s);

/* For views: print the facts about the recording if requested, otherwise how to request them. */
void report_view__print_header(const struct report_view *v);
void report_view__print_header_hint(const struct report_view *v); /* prints nothing with -q */

/*
 * For views of whole stacks, in .init, if .sample keeps by report_kinds__keep() where it has added a sample: count others of its kind by
 * cb there, unless the selection needs each sample. 0 or -errno.
 */
int report_view__count_kinds(struct report_view *v, stack_counts_cb cb, struct errmsg *err);
/* Their .seen, .look_ahead and .forget_ids */
int report_view__seen(struct session *s, struct session_brief *brief, void *view);
void report_view__look_ahead(struct session *s, struct session_brief *const *brief, size_t nr, void *view);
void report_view__forget_ids(struct session *s, void *view);

/* For views, in .sample: is the sample shown? Updates the progress. */
bool report_view__shows(struct report_view *v, const struct session_sample *sample);

#endif
