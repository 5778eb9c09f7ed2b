/* SPDX-License-Identifier: GPL-2.0 */
/* SIGINT, SIGTERM and SIGCHLD as something to poll for, and no signal that ends perf for what a write can say by its error. */
#ifndef PERF_RUN_SIGNALS_H
#define PERF_RUN_SIGNALS_H

#include <signal.h>
#include "util/lib/errmsg.h"

#define SIGNALS_NR 5

struct signals {
	int fd; /* a signalfd; -1: not taken */
	sigset_t old_mask;
	struct sigaction old_action[SIGNALS_NR], old_more;
	int more;
};

/*
 * From here on SIGINT, SIGTERM and SIGCHLD only make fd readable; also where the caller had ignored them, since a shell without job control
 * starts background commands with SIGINT ignored, and they must be stoppable by kill -INT. SIGPIPE (nobody reads the messages)
 * and SIGXFSZ (the limit of file sizes) are ignored, so that the file of the recording gets its end.
 */
int signals__take(struct signals *s, int more, struct errmsg *err); /* more: another one that makes fd readable; 0: none */
void signals__restore(const struct signals *s); /* mask and actions as they were; async-signal-safe, for a forked child */
void signals__release(struct signals *s);	/* restore and close fd */

int signals__next(const struct signals *s); /* the next one that came, 0: none */

#endif
