/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf annotate. */
#ifndef PERF_CMD_ANNOTATE_OPTIONS_H
#define PERF_CMD_ANNOTATE_OPTIONS_H

#include "cmd/annotate/code.h"
#include "cmd/report/options.h"

enum annotate_percent { /* what percentages of a line are of: the samples, or their periods, of its function or of all */
	ANNOTATE_LOCAL_PERIOD,
	ANNOTATE_LOCAL_HITS,
	ANNOTATE_GLOBAL_PERIOD,
	ANNOTATE_GLOBAL_HITS,
	ANNOTATE_NR_PERCENTS,
};

struct annotate_options {
	struct report_options report; /* for the rows, one for each function */
	struct code_opts code;
	const char *symbol; /* NULL: all functions with samples */
	enum annotate_percent percent;
	bool source, full_paths, print_lines, show_period, show_samples, skip_missing;
};

#define ANNOTATE_OPTIONS_INIT { .report = { .reading = READ_OPTIONS_INIT("pager.annotate"), .sort = "dso,symbol", .group = REPORT_GROUP_NONE, \
					    .branches = REPORT_BRANCHES_NONE }, .source = true }

extern const char *const annotate_percents[ANNOTATE_NR_PERCENTS]; /* "local period" */

/* The value is an enum annotate_percent. */
int annotate_options__parse_percent(const struct option_row *row, const char *arg, bool unset);
void annotate_options__list_percents(void);

#endif
