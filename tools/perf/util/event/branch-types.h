/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of branches in a sample's branch records: the argument of -j, and of an event's branch_type=. */
#ifndef PERF_EVENT_BRANCH_TYPES_H
#define PERF_EVENT_BRANCH_TYPES_H

#include "util/lib/errmsg.h"
#include "util/lib/types.h"

/*
 * Convert "any_call,u" to PERF_SAMPLE_BRANCH_* bits; privilege levels alone mean any branch in them. -EINVAL: unknown kind, err
 * lists all.
 */
int branch_types__parse(u64 *types, const char *list, struct errmsg *err);

#endif
