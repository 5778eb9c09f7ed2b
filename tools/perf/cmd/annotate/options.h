/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf annotate. */
#ifndef PERF_CMD_ANNOTATE_OPTIONS_H
#define PERF_CMD_ANNOTATE_OPTIONS_H

#include "cmd/report/options.h"
#include "ui/annotate/annotated.h"

enum annotate_form { ANNOTATE_ANY, ANNOTATE_STDIO, ANNOTATE_STDIO2, ANNOTATE_TUI };

struct annotate_options {
	struct report_options report; /* for the rows, one for each function */
	const char *symbol; /* NULL: all functions with samples */
	struct annotate_view_opts view;
	enum annotate_form form;
	bool skip_missing;
	bool types;	       /* show these in place of functions: */
	const char *type_name; /* only this one; NULL: all */
};

#define ANNOTATE_OPTIONS_INIT { .report = { .reading = READ_OPTIONS_INIT("pager.annotate"), .sort = "dso,symbol", .branches = REPORT_BRANCHES_NONE }, \
				.view.source = true }

/* The value is the struct annotate_options. */
int annotate_options__parse_types(const struct option_row *row, const char *arg, bool unset);
/* The value is an enum annotate_percent. */
int annotate_options__parse_percent(const struct option_row *row, const char *arg, bool unset);
void annotate_options__list_percents(void);

#endif
