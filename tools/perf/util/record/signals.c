// SPDX-License-Identifier: GPL-2.0
#include "util/record/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int taken[SIGNALS_NR] = { SIGINT, SIGTERM, SIGCHLD };

int signals__take(struct signals *s, struct errmsg *err)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	sigset_t set;
	int i;

	sigemptyset(&set);
	for (i = 0; i < SIGNALS_NR; i++)
		sigaddset(&set, taken[i]);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return errmsg__set(err, errno, "cannot wait for signals: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	for (i = 0; i < SIGNALS_NR; i++)
		sigaction(taken[i], &by_default, &s->old_action[i]);
	return 0;
}

void signals__restore(const struct signals *s)
{
	int i;

	for (i = 0; i < SIGNALS_NR; i++)
		sigaction(taken[i], &s->old_action[i], NULL);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
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
	while (signals__next(s)) /* one that came during the work is not for what comes after it */
		;
	signals__restore(s);
	close(s->fd);
	s->fd = -1;
}
