/* SPDX-License-Identifier: GPL-2.0 */
/* The target of a recording: the lists of -p, -t and -C as current numbers. */
#ifndef PERF_RUN_TARGET_H
#define PERF_RUN_TARGET_H

#include <sys/types.h>
#include "util/lib/cpumap.h"
#include "util/lib/errmsg.h"

struct run_target {
	pid_t *tids;		/* threads to follow, ascending */
	int nr_tids;
	pid_t *pids;		/* their processes, ascending */
	int nr_pids;
	struct cpumap *cpus;	/* NULL: all */
};

/*
 * Lists as given, any may be NULL. -EINVAL: not a list of numbers; -ESRCH: of a list there is no process, or no thread. Those that are missing
 * beside others are left out with a warning.
 */
int run_target__resolve(struct run_target *t, const char *pids, const char *tids, const char *cpus, struct errmsg *err);
/*
 * Look for threads that the processes have started since. 1: there are, and tids has those that exist now; 0: none, nothing is
 * changed; -errno.
 */
int run_target__update(struct run_target *t, struct errmsg *err);
void run_target__exit(struct run_target *t);

#endif
