/* SPDX-License-Identifier: GPL-2.0 */
/* Filters of what a task did for a time: of off-CPU time and of waits for locks (util/bpf_skel/filter-task.bpf.h). */
#ifndef PERF_SOURCE_TASK_FILTER_H
#define PERF_SOURCE_TASK_FILTER_H

#include <stdbool.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

/* What all of them read of a task, for messages: tests/source/terms.sh compares it with FILTER_FIELDS. Time and period are of each event. */
#define TASK_FILTER_TERMS "pid, tid, ppid, comm, uid, gid, cgroup, prio, nice"

bool task_filter__knows(u8 term); /* enum filter_term */
/* Does it depend on what is known at the end only: the time that it took, and when that was? */
bool task_filter__is_late(const struct filter_table *table);
/*
 * -EINVAL with a message: the filter uses a term that a task lacks. table is the lowered filter; what: what is filtered; has: a
 * sentence about the terms that there are.
 */
int task_filter__check(const struct filter *filter, const struct filter_table *table, const char *what, const char *has,
		       struct errmsg *err);

#endif
