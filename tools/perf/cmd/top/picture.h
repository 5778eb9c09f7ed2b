/* SPDX-License-Identifier: GPL-2.0 */
/* What perf top shows at one time: the rows of perf report for each event, made of the samples so far. */
#ifndef PERF_CMD_TOP_PICTURE_H
#define PERF_CMD_TOP_PICTURE_H

#include "cmd/report/rows.h"
#include "cmd/top/samples.h"
#include "ui/tui/browser.h"

struct top_event { /* numbers since the last picture */
	u64 nr, nr_kernel;
	u64 not_counted; /* samples so far that had no room */
	u64 dropped;	 /* samples so far that the filter dropped */
};

struct top_picture {
	struct report_rows rows;
	struct code_hits hits;
	struct browser_event *event; /* those with samples, each with its number in .hits_event */
	u32 *number, nr;
	bool hide_kernel, hide_user;
};

/*
 * shown: numbers of events that have been shown before, nr_shown of them, to which those that have samples for the first time are added; it has
 * room for all. count: by event of the session. 0 or -errno with a message; end with __delete() anyway.
 */
struct top_view { /* what pictures have in common */
	struct session *session;
	struct report_options *report;
	const struct top_event *count;
	u32 *shown, nr_shown;
	bool hide_kernel, hide_user;
};

struct top_picture *top_picture__new(struct top_view *view, struct top_samples *samples, struct errmsg *err); /* NULL after setting err */
void top_picture__delete(struct top_picture *picture);

#endif
