/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of perf report: hists for each event, filled from the session's samples, and printed or browsed. */
#ifndef PERF_CMD_REPORT_ROWS_H
#define PERF_CMD_REPORT_ROWS_H

#include "cmd/report/kinds.h"
#include "cmd/report/options.h"
#include "util/annotate/hits.h"
#include "util/session/session.h"

struct parallelism;

struct report_rows {
	struct session *session;
	struct report_options *options;
	struct hists *hists; /* one for each event of the session */
	struct hist_shared *shared;
	struct rows_layout *layouts; /* the distinct layouts of hists; the last one has all columns */
	struct hist_env env;
	struct parallelism *parallelism;    /* NULL: nothing of it is asked for */
	struct cpumap *parallelism_shown;   /* --parallelism; NULL: all */
	u64 nr_shown, nr_alone;		    /* samples, and those of tasks that ran alone; with parallelism only */
	bool branches; /* are what is counted */
	struct report_kinds *kinds; /* the caller's; NULL: it adds all samples */
	bool by_callers; /* chains of callers that are known are not asked for again */
	bool has_frames; /* samples come with their frames, not with numbers of them */
	struct code_hits *hits;	    /* the caller's, for code of functions; NULL: not wanted */
	struct rows_place *place;   /* with both: where samples were added */
	u32 nr_places, alloc_places;
};

/* Set up rows by the options and the recording. rows starts zeroed except for session, options and kinds. 0 or -errno. */
int report_rows__init(struct report_rows *rows, struct errmsg *err);
void report_rows__exit(struct report_rows *rows);

int report_rows__add(struct report_rows *rows, const struct session_sample *sample); /* 0 or -ENOMEM */
/* For a sample whose kind is not known: what does __add() need of it? NOTHING: it was added by what is known of its parts. Or -ENOMEM. */
int report_rows__see(struct report_rows *rows, const struct session_brief *brief);
void report_rows__look_ahead(const struct report_rows *rows, struct session_brief *const *brief, size_t nr); /* for __see(), see session_ops */
void report_rows__forget_ids(struct report_rows *rows);
/* Count it as a part of the whole, without a row. 0 */
int report_rows__hide(struct report_rows *rows, const struct session_sample *sample);
void report_rows__take_record(struct report_rows *rows, const union perf_record *record, const struct perf_sample *id);

bool report_rows__any_samples(const struct report_rows *rows); /* including those that filters hid */

/* After the run: join and sort a group's hists. 0 or -ENOMEM */
struct report_group;
int report_rows__sort_group(struct report_rows *rows, const struct report_group *group);
/* One line with the information that text has above a group's rows, malloc'ed; NULL: no memory. */
char *report_rows__title(const struct report_rows *rows, const struct report_group *group);

/* After the run. 0 or -ENOMEM; browse: or another -errno, after a message. nr_warnings: printed of this recording */
int report_rows__print(struct report_rows *rows, FILE *fp);
int report_rows__browse(struct report_rows *rows, u32 nr_warnings);

#endif
