/* SPDX-License-Identifier: GPL-2.0 */
/* Filters of what is made of recorded hits of tracepoints: waits, and runs. A file knows less of the task than programs do. */
#ifndef PERF_SOURCE_RECORDED_FILTER_H
#define PERF_SOURCE_RECORDED_FILTER_H

#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct recorded_span {
	u32 pid, tid, cpu;
	const char *comm;
	u64 time, ns; /* when it ended, and how long it was: the term period */
};

/*
 * -EINVAL with a message: the filter uses a term that a file lacks. table is the lowered filter; what: "recorded waits"; has: what can be
 * tested; command: the one that records them.
 */
int recorded_filter__check(const struct filter *filter, const struct filter_table *table, const char *what, const char *has, const char *command,
			   struct errmsg *err);
/* Parse, lower and check text, whose period is a time, into *filter and *table. text NULL: nothing. -EINVAL, -ENOMEM; the caller deletes *filter. */
int recorded_filter__compile(const char *text, struct filter **filter, struct filter_table *table, const char *what, const char *has,
			     const char *command, struct errmsg *err);
bool recorded_filter__keeps(const struct filter_table *table, const struct recorded_span *span);

#endif
