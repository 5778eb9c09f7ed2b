/* SPDX-License-Identifier: GPL-2.0 */
/* Which branches of the CPU's records a sample gets: what stands behind -j, and behind branch_type= of an event. */
#ifndef PERF_EVENT_BRANCH_TYPES_H
#define PERF_EVENT_BRANCH_TYPES_H

#include "util/lib/errmsg.h"
#include "util/lib/types.h"

/*
 * "any_call,u" to PERF_SAMPLE_BRANCH_* bits; privilege levels alone mean any branch of theirs. -EINVAL: an unknown kind, err
 * lists all.
 */
int branch_types__parse(u64 *types, const char *list, struct errmsg *err);

#endif
