/* SPDX-License-Identifier: GPL-2.0 */
/* Options of perf top that need parsing, and what they make of those of perf sample-bpf, which does the work. */
#ifndef PERF_CMD_TOP_OPTIONS_H
#define PERF_CMD_TOP_OPTIONS_H

#include "cmd/sample-bpf/options.h"

struct top_options {
	struct sample_bpf_options counting; /* first member: the functions that print results get it */
	struct tally_top_opts view;
	unsigned int delay; /* seconds */
	bool zero;
	char target[128], rate[64]; /* for the view */
};

#define TOP_SORT "dso,symbol"
#define TOP_DELAY 2

#define TOP_OPTIONS_INIT(o) { .counting = SAMPLE_BPF_OPTIONS_INIT((o).counting), .view = { .sort = TOP_SORT }, .delay = TOP_DELAY }

void top_options__list_keys(void); /* of -s, for completion */
/* Check and combine all options. 0 or an exit status, after a message; a wrong command line may exit. */
int top_options__settle(struct top_options *o, char **argv);

#endif
