/* SPDX-License-Identifier: GPL-2.0 */
/* The recordings that perf diff compares: reads each into rows of its own, then puts them side by side. */
#ifndef PERF_CMD_DIFF_FILES_H
#define PERF_CMD_DIFF_FILES_H

#include "cmd/diff/options.h"
#include "cmd/report/kinds.h"
#include "cmd/report/rows.h"
#include "ui/progress.h"

struct diff_file {
	const char *name;
	char *times;
	struct report_options options;
	struct session *session;
	struct report_rows rows;
	struct report_kinds kinds;
	struct progress progress;
	struct hists lacking; /* stands for an event that the file lacks */
};

struct diff_files {
	const struct diff_options *options;
	u32 nr;
	struct diff_file *file; /* the baseline first */
};

/* Read all of them; names as diff_options__files() returns them. 0, EXIT_DAMAGED, or another exit status, after a message. */
int diff_files__read(struct diff_files *files, struct diff_options *o, const char *const *names);
/* Print a table for each event of the baseline. 0 or -ENOMEM. */
int diff_files__print(struct diff_files *files, FILE *fp);
void diff_files__exit(struct diff_files *files);

#endif
