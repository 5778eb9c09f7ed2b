/* SPDX-License-Identifier: GPL-2.0 */
/* When events count: the spans of -D, as a part of a run (run.h), which switches the events. */
#ifndef PERF_RUN_SPANS_H
#define PERF_RUN_SPANS_H

#include "util/lib/errmsg.h"

struct run_span {
	unsigned int from, to; /* in ms from the start; to 0: until the end */
};

#define RUN_MAX_SPANS 64

/*
 * Parse "100": from then on (no span at all for "0"); "10-20,30-40": only then, ascending. Returns the number of spans, at most
 * RUN_MAX_SPANS; -EINVAL without a message: neither form.
 */
int run_spans__parse(const char *text, struct run_span spans[RUN_MAX_SPANS]);

#endif
