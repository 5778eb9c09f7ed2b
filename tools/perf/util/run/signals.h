/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT, SIGTERM, SIGHUP and SIGCHLD as a descriptor to poll. No signal kills perf for a failed write, which returns an error: neither during the
 * run nor afterwards, when results and messages are printed, so that a lost reader changes nothing else, and the exit status tells it.
 */
#ifndef PERF_RUN_SIGNALS_H
#define PERF_RUN_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "util/lib/errmsg.h"

#define SIGNALS_NR 4

struct signals {
	int fd; /* to poll; -1: not taken */
	int signal_fd, held_fd, stop_fd;
	atomic_ulong held; /* bits: signals that the watcher has taken from signal_fd; held_fd is readable if there are some */
	pthread_t watcher;
	bool watched;
	sigset_t old_mask;
	struct sigaction old_action[SIGNALS_NR], old_more;
	int more;
};

/*
 * From now on SIGINT, SIGTERM, SIGHUP and SIGCHLD only make fd readable. SIGINT and SIGTERM do so even if the caller had ignored
 * them: a shell without job control starts background commands with SIGINT ignored, and kill -INT must stop them. SIGHUP stays
 * ignored: that is what nohup(1) is for. SIGPIPE (nobody reads the messages) and SIGXFSZ (the limit of file sizes) are ignored from now on, so
 * that the recording's file is completed.
 *
 * Who blocks in a write, as nobody reads the other end, does not see the signal. A thread waits for that: if SIGINT, SIGTERM or SIGHUP is not
 * taken for a second, and a thread is in a write to a pipe, socket or terminal when a later one has not been taken for a second either, that
 * one ends the process, as if perf took no signals.
 */
int signals__take(struct signals *s, int more, struct errmsg *err); /* more: another signal that makes fd readable; 0: none */
/* Restore mask and actions, SIGPIPE and SIGXFSZ as perf was given them; async-signal-safe, for a forked child. */
void signals__restore(const struct signals *s);
void signals__release(struct signals *s); /* restore and close fd; SIGPIPE and SIGXFSZ stay ignored */

int signals__next(struct signals *s); /* the next signal, 0: none */

#endif
