/* SPDX-License-Identifier: GPL-2.0 */
/* The threads that run now, for perf stat -u and --per-thread -a: events are opened on each of them. */
#ifndef PERF_CMD_STAT_TASKS_H
#define PERF_CMD_STAT_TASKS_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"

struct stat_tasks {
	pid_t *tid; /* owned */
	int nr;
};

/* All threads, or those with the real user id *uid. -ESRCH: that user has none. -errno with err. */
int stat_tasks__list(struct stat_tasks *tasks, const uid_t *uid, struct errmsg *err);
void stat_tasks__exit(struct stat_tasks *tasks);

#endif
