/* SPDX-License-Identifier: GPL-2.0 */
/* The outputs of perf report that are for other tools and for the browser: whole stacks in the place of rows. */
#ifndef PERF_REPORT_PROFILE_H
#define PERF_REPORT_PROFILE_H

#include "util/lib/options.h"
#include "util/session/session.h"

struct report_profile {
	const char *flamegraph, *pprof; /* files; NULL: not asked for */
	bool json;
	struct stack_trees *stacks; /* by event */
};

/* Rows for a table of options; p is a struct report_profile with static storage. */
#define REPORT_PROFILE_OPTIONS(p)                                                                                       \
	OPT_STRING(0, "flamegraph", &(p).flamegraph, "file", "write a flame graph for the browser, a page of its own"), \
	OPT_STRING(0, "pprof", &(p).pprof, "file", "write a profile for pprof and its like (.pb.gz)"),                  \
	OPT_BOOL(0, "json", &(p).json, "print all stacks as JSON")

/* Was one of them asked for? */
bool report_profile__wanted(const struct report_profile *p);

/* Before session__run(). 0 or -ENOMEM. */
int report_profile__begin(struct report_profile *p, struct session *s);
/* During it. Returns the place where samples with the same stack may be counted, too; 0: no memory. */
u64 report_profile__add(struct report_profile *p, const struct session_sample *sample);
void report_profile__add_more(u64 place, u64 nr, u64 period);
/* Afterwards: write what was asked for. Tells errors; returns the exit status. */
int report_profile__write(struct report_profile *p, struct session *s);
void report_profile__exit(struct report_profile *p, struct session *s);

#endif
