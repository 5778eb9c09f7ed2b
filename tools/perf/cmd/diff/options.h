/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf diff, and the files that it compares. */
#ifndef PERF_CMD_DIFF_OPTIONS_H
#define PERF_CMD_DIFF_OPTIONS_H

#include "cmd/report/options.h"
#include "util/hist/compare.h"

struct diff_options {
	struct report_options report; /* for the rows of each file */
	struct hist_comparison comparison;
	bool baseline_only, dump;
	const char *times; /* of all files, or of each: --time a,b:c,d; NULL: not given */
};

#define DIFF_OPTIONS_INIT { .report = { .reading = READ_OPTIONS_INIT("pager.diff"), .group = REPORT_GROUP_NONE, .branches = REPORT_BRANCHES_NONE }, \
			    .comparison = { .order = 1 } }

/* -c; the value is a struct hist_comparison. */
int diff_options__parse_compute(const struct option_row *row, const char *arg, bool unset);
void diff_options__list_computes(void);

/*
 * After parsing: the names of the files, of what remains of the command line, and what is wrong with both. *names is malloc'ed. NULL after a
 * message.
 */
const char **diff_options__files(struct diff_options *o, int argc, char **argv);
/* --time of the i-th file: the n-th part of what is separated by ':', or all if nothing is. malloc'ed; NULL with errno set: 0: none, or ENOMEM */
char *diff_options__times(const struct diff_options *o, u32 i);

#endif
