/* SPDX-License-Identifier: GPL-2.0 */
/* The code of a function, each instruction with its share of the samples. */
#ifndef PERF_CMD_ANNOTATE_LINES_H
#define PERF_CMD_ANNOTATE_LINES_H

#include <stdio.h>
#include "cmd/annotate/hits.h"
#include "cmd/annotate/options.h"

struct annotated {
	const struct annotate_options *options;
	struct resolver *resolver;
	const char *event;
	const struct hists *hists; /* of the event */
	const struct code_hits *hits;
	const struct code_function_hits *function;
	const struct code_text *code;
};

/* With -l first the sums of its source lines. 0 or -ENOMEM. */
int annotated__fprintf(const struct annotated *a, FILE *fp);

#endif
