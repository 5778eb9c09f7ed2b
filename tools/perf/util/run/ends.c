// SPDX-License-Identifier: GPL-2.0
#include "util/run/ends.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "util/lib/fs.h"

#define THREAD O_EXCL /* PIDFD_THREAD of newer headers */

static int open_task(pid_t id, bool thread, const struct run_target *t)
{
	int fd = syscall(SYS_pidfd_open, id, thread ? THREAD : 0);

	for (int i = 0; fd < 0 && errno == EINVAL && thread && i < t->nr_pids; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/task/%d", t->pids[i], id);
		if (!access(path, F_OK))
			return open_task(t->pids[i], false, t);
		errno = EINVAL;
	}
	if (fd < 0 && errno == EINVAL && thread) /* Linux before 6.9, and the thread is in none of the processes any more */
		errno = ESRCH;
	return fd;
}

static int watch(struct run_ends *ends, int i, pid_t id, bool thread, const struct run_target *t)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = i };

	ends->fd[i] = open_task(id, thread, t);
	if (ends->fd[i] < 0)
		return errno == ESRCH ? 0 : -errno;
	return epoll_ctl(ends->epfd, EPOLL_CTL_ADD, ends->fd[i], &ev) ? -errno : 0;
}

int run_ends__init(struct run_ends *ends, const struct run_target *t, bool threads, struct errmsg *err)
{
	int ret = 0;

	ends->nr = threads ? t->nr_tids : t->nr_pids;
	ends->fd = malloc((ends->nr + 1) * sizeof(*ends->fd));
	ends->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (!ends->fd || ends->epfd < 0)
		ret = ends->fd ? -errno : -ENOMEM;
	if (ends->fd)
		memset(ends->fd, -1, (ends->nr + 1) * sizeof(*ends->fd));
	for (int i = 0; i < ends->nr && !ret; i++)
		ret = watch(ends, i, threads ? t->tids[i] : t->pids[i], threads, t);
	return ret ? errmsg__set(err, -ret, "cannot wait for the end of processes: %s", strerror(-ret)) : 0;
}

bool run_ends__all(struct run_ends *ends)
{
	struct epoll_event ev[32];
	int i, nr;

	do {
		nr = epoll_wait(ends->epfd, ev, sizeof(ev) / sizeof(ev[0]), 0);
		for (i = 0; i < nr; i++) {
			close(ends->fd[ev[i].data.u32]);
			ends->fd[ev[i].data.u32] = -1;
		}
	} while (nr > 0);
	for (i = 0; i < ends->nr && ends->fd[i] < 0; i++)
		;
	return i == ends->nr;
}

void run_ends__exit(struct run_ends *ends)
{
	if (ends->fd)
		fs__close_many(ends->fd, ends->nr);
	if (ends->epfd >= 0)
		close(ends->epfd);
	free(ends->fd);
	*ends = (struct run_ends){ .epfd = -1 };
}
