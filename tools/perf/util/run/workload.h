/* SPDX-License-Identifier: GPL-2.0 */
/* The command to record; a recording may also end with it. */
#ifndef PERF_RUN_WORKLOAD_H
#define PERF_RUN_WORKLOAD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "util/lib/errmsg.h"
#include "util/run/signals.h"

struct workload {
	pid_t pid;	/* 0: none */
	int fd;		/* socket to the child until it has exec'ed; -1: closed */
	const char *name, *comm; /* as given; what the kernel will name its task */
	bool ended;
	int status;	/* as from waitpid; valid after its end */
	struct rusage usage; /* with the children that it has waited for; valid after its end */
};

/* Fork a child that waits to exec argv; it gets the signal mask and actions from before signals__take(). */
/* stdout_taken: the recording uses the standard output, so the child writes to the standard error. */
int workload__fork(struct workload *w, char *const *argv, const struct signals *signals, bool stdout_taken, struct errmsg *err);

/* Let it exec. Returns after the exec has succeeded or failed. */
int workload__exec(struct workload *w, struct errmsg *err);

bool workload__reap(struct workload *w); /* has it ended? */

/* If it is still running: make it exit (before the exec) or terminate it by SIGTERM, and wait for its end. */
void workload__end(struct workload *w);

int workload__exit_code(const struct workload *w); /* after its end; 128 + signal, as in shells */

#endif
