/* SPDX-License-Identifier: GPL-2.0 */
/* The ends of the tasks of a target, for commands without rings, which hang up: a descriptor that is readable when one has ended. */
#ifndef PERF_RUN_ENDS_H
#define PERF_RUN_ENDS_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/run/target.h"

struct run_ends { /* end with run_ends__exit(), also after an error */
	int epfd;
	int *fd; /* of processes or threads; -1: ended */
	int nr;
};

/*
 * Watch the processes of t, or with threads its threads; one that has ended already counts as such. Before Linux 6.9 the end of a thread
 * is that of its process. -ENOSYS before Linux 5.3, or another -errno, with err.
 */
int run_ends__init(struct run_ends *ends, const struct run_target *t, bool threads, struct errmsg *err);
/* Have all ended? Call it after epfd was readable. */
bool run_ends__all(struct run_ends *ends);
void run_ends__exit(struct run_ends *ends);

#endif
