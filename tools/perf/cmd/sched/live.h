/* SPDX-License-Identifier: GPL-2.0 */
/* perf sched record as another process, whose recording this one reads while it is written. */
#ifndef PERF_CMD_SCHED_LIVE_H
#define PERF_CMD_SCHED_LIVE_H

#include <sys/types.h>

struct sched_live {
	pid_t pid; /* of the recording; 0: there is none */
};

/*
 * Record all tasks while the command runs, or until Ctrl+C if there is none (command[0] is NULL), and let the standard input be the
 * recording. The exit status: 0, or of an error that was told.
 */
int sched_live__begin(struct sched_live *live, char **command, const char *const *usages);
/* The recording was read. Returns its exit status, which is the command's; 0: there is none. */
int sched_live__end(struct sched_live *live);

#endif
