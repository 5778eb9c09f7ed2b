// SPDX-License-Identifier: GPL-2.0
#include "util/run/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "util/lib/failed-writes.h"

static const int taken[SIGNALS_NR] = { SIGINT, SIGTERM, SIGCHLD, SIGHUP };

/* Under nohup(1) SIGHUP stays ignored. */
static bool reads(int signo)
{
	struct sigaction action;

	return signo != SIGHUP || (!sigaction(signo, NULL, &action) && action.sa_handler != SIG_IGN);
}

int signals__take(struct signals *s, int more, struct errmsg *err)
{
	sigset_t set;
	int i;

	sigemptyset(&set);
	for (i = 0; i < SIGNALS_NR; i++) {
		if (reads(taken[i]))
			sigaddset(&set, taken[i]);
	}
	if (more)
		sigaddset(&set, more);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return errmsg__set(err, errno, "cannot wait for signals: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	for (i = 0; i < SIGNALS_NR; i++) {
		struct sigaction action = { .sa_handler = sigismember(&set, taken[i]) ? SIG_DFL : SIG_IGN };

		sigaction(taken[i], &action, &s->old_action[i]);
	}
	failed_writes__return_errors();
	s->more = more;
	if (more)
		sigaction(more, &(struct sigaction){ .sa_handler = SIG_DFL }, &s->old_more);
	return 0;
}

static void restore(const struct signals *s)
{
	int i;

	for (i = 0; i < SIGNALS_NR; i++)
		sigaction(taken[i], &s->old_action[i], NULL);
	if (s->more)
		sigaction(s->more, &s->old_more, NULL);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

void signals__restore(const struct signals *s)
{
	failed_writes__as_given();
	restore(s);
}

int signals__next(const struct signals *s)
{
	struct signalfd_siginfo info;

	if (read(s->fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return info.ssi_signo;
}

void signals__release(struct signals *s)
{
	if (s->fd < 0)
		return;
	while (signals__next(s)) /* drop signals that arrived during the run */
		;
	restore(s);
	close(s->fd);
	s->fd = -1;
}
