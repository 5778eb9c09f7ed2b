// SPDX-License-Identifier: GPL-2.0
#include "util/run/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum how {
	READ,
	READ_UNLESS_IGNORED, /* nohup(1) */
	IGNORE,
};

static const struct {
	int signo;
	enum how how;
} taken[SIGNALS_NR] = {
	{ SIGINT, READ }, { SIGTERM, READ }, { SIGCHLD, READ }, { SIGHUP, READ_UNLESS_IGNORED }, { SIGPIPE, IGNORE }, { SIGXFSZ, IGNORE },
};

static bool reads(int i)
{
	struct sigaction action;

	if (taken[i].how == READ_UNLESS_IGNORED)
		return !sigaction(taken[i].signo, NULL, &action) && action.sa_handler != SIG_IGN;
	return taken[i].how == READ;
}

/* How perf was started. One for all runs of it: the second one finds SIGPIPE and SIGXFSZ ignored by the first one. */
static struct sigaction at_start[SIGNALS_NR];
static bool ignores;

void signals__ignore_failed_writes(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	for (int i = 0; i < SIGNALS_NR && !ignores; i++) {
		if (taken[i].how == IGNORE)
			sigaction(taken[i].signo, &ignore, &at_start[i]);
	}
	ignores = true;
}

void signals__heed_failed_writes(void)
{
	for (int i = 0; i < SIGNALS_NR && ignores; i++) {
		if (taken[i].how == IGNORE)
			sigaction(taken[i].signo, &at_start[i], NULL);
	}
	ignores = false;
}

int signals__take(struct signals *s, int more, struct errmsg *err)
{
	sigset_t set;
	int i;

	sigemptyset(&set);
	for (i = 0; i < SIGNALS_NR; i++) {
		if (reads(i))
			sigaddset(&set, taken[i].signo);
	}
	if (more)
		sigaddset(&set, more);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return errmsg__set(err, errno, "cannot wait for signals: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	for (i = 0; i < SIGNALS_NR; i++) {
		struct sigaction action = { .sa_handler = sigismember(&set, taken[i].signo) ? SIG_DFL : SIG_IGN };

		if (taken[i].how != IGNORE)
			sigaction(taken[i].signo, &action, &s->old_action[i]);
	}
	signals__ignore_failed_writes();
	s->more = more;
	if (more)
		sigaction(more, &(struct sigaction){ .sa_handler = SIG_DFL }, &s->old_more);
	return 0;
}

static void restore(const struct signals *s)
{
	int i;

	for (i = 0; i < SIGNALS_NR; i++) {
		if (taken[i].how != IGNORE)
			sigaction(taken[i].signo, &s->old_action[i], NULL);
	}
	if (s->more)
		sigaction(s->more, &s->old_more, NULL);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

void signals__restore(const struct signals *s)
{
	signals__heed_failed_writes();
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
