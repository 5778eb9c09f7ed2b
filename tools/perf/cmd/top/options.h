/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf top that need parsing, and what they make of those of perf sample-bpf, which counts, and perf report, which shows. */
#ifndef PERF_CMD_TOP_OPTIONS_H
#define PERF_CMD_TOP_OPTIONS_H

#include "cmd/report/options.h"
#include "cmd/sample-bpf/options.h"

struct top_options {
	struct sample_bpf_options counting; /* first member: the functions that print results get it */
	struct report_options report;
	unsigned int delay; /* seconds */
	unsigned int entries; /* rows of text at most; 0: as many as fit */
	bool zero, hide_kernel, hide_user;
	bool callers; /* -g or --call-graph */
	bool stdio, tui, browse; /* the third follows from the others */
	char target[128], rate[64]; /* for the title: "all, 2 CPUs" and "4000Hz" */
};

#define TOP_SORT "dso,symbol"
#define TOP_DELAY 2

#define TOP_OPTIONS_INIT(o) { .counting = SAMPLE_BPF_OPTIONS_INIT((o).counting), .report = REPORT_OPTIONS_INIT, .delay = TOP_DELAY }

void top_options__list_keys(void); /* of -s, for completion */
/* --call-graph: the value is a struct top_options. */
int top_options__parse_callgraph(const struct option_row *row, const char *arg, bool unset);
/* Check and combine all options. 0 or an exit status, after a message; a wrong command line may exit. */
int top_options__settle(struct top_options *o, char **argv);

#endif
