/* SPDX-License-Identifier: GPL-2.0 */
/* The command that is recorded, or that ends the recording when it ends. */
#ifndef PERF_RUN_WORKLOAD_H
#define PERF_RUN_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"
#include "util/run/signals.h"

struct workload {
	pid_t pid;	/* 0: none */
	int fd;		/* talks to the child until it has exec'ed; -1: done */
	const char *name;
	bool ended;
	int status;	/* as from waitpid, once ended */
};

/* Fork a child that waits to exec argv; it runs with the signal mask and actions that signals found. */
/* With stdout_taken, by the recording, it writes its own output to the standard error. */
int workload__fork(struct workload *w, char *const *argv, const struct signals *signals, bool stdout_taken, struct errmsg *err);

/* Let it exec. Returns after that has succeeded or failed. */
int workload__exec(struct workload *w, struct errmsg *err);

bool workload__reap(struct workload *w); /* has it ended? */

/* If it still runs: have it give up (not exec'ed) or terminate it with SIGTERM, and wait for its end. */
void workload__end(struct workload *w);

int workload__exit_code(const struct workload *w); /* of an ended one; 128 + signal as shells say it */

#endif
