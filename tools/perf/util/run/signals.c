// SPDX-License-Identifier: GPL-2.0
#include "util/run/signals.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "util/lib/failed-writes.h"
#include "util/lib/threads.h"
#include "util/lib/types.h"

#define PATIENCE 1 /* seconds */
#define BIT(signo) (1UL << (signo))
#define ENDS (BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGHUP))

static const int taken[SIGNALS_NR] = { SIGINT, SIGTERM, SIGCHLD, SIGHUP };

/* Under nohup(1) SIGHUP stays ignored. */
static bool reads(int signo)
{
	struct sigaction action;

	return signo != SIGHUP || (!sigaction(signo, NULL, &action) && action.sa_handler != SIG_IGN);
}

/* The watcher */

/* Is the first one readable? Wait for any of them, at most so many seconds; -1: for ever */
static bool is_readable(const int *fd, unsigned int nr, int seconds)
{
	const struct timespec patience = { .tv_sec = seconds };
	struct pollfd pfd[2] = { { .fd = fd[0], .events = POLLIN } };

	if (nr == 2)
		pfd[1] = (struct pollfd){ .fd = fd[1], .events = POLLIN };
	return ppoll(pfd, nr, seconds < 0 ? NULL : &patience, NULL) > 0 && pfd[0].revents;
}

/* A pipe, socket or terminal, whose other end may be read by nobody */
static bool may_block(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode));
}

/* Is the thread in a write to such a file? Its system call and the first argument: proc_pid_syscall(5) */
static bool is_in_write(int tasks, const char *tid)
{
	char path[32], line[64] = "";
	unsigned long fd;
	ssize_t size;
	long nr;
	int file;

	snprintf(path, sizeof(path), "%.16s/syscall", tid);
	file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	size = file < 0 ? 0 : read(file, line, sizeof(line) - 1);
	if (file >= 0)
		close(file);
	if (size <= 0 || sscanf(line, "%ld %lx", &nr, &fd) != 2)
		return false;
	return (nr == SYS_write || nr == SYS_writev || nr == SYS_sendto || nr == SYS_sendmsg) && may_block(fd);
}

/* Any thread: others may wait for it. */
static bool is_stuck(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	bool found = false;

	while (tasks && !found && (entry = readdir(tasks)))
		found = isdigit((unsigned char)*entry->d_name) && is_in_write(dirfd(tasks), entry->d_name);
	if (tasks)
		closedir(tasks);
	return found;
}

/* The main thread may be in a write to the same pipe, and may own the lock of stderr. */
static void say(const char *text)
{
	struct pollfd pfd = { .fd = STDERR_FILENO, .events = POLLOUT };

	if (poll(&pfd, 1, 0) == 1 && write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

/* As if the signal had never been taken */
static void end_by(int signo)
{
	sigset_t set;

	say("perf is stuck, as nobody reads its output, and ends without what it had not written\n");
	sigemptyset(&set);
	sigaddset(&set, signo);
	signal(signo, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(signo);
}

/* Nobody has taken the signals for long. Those that come together, as SIGTERM and SIGHUP from systemd, are one wish. */
static void hold(struct signals *s)
{
	const bool waits = atomic_load(&s->held) & ENDS;
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (waits && BIT(info.ssi_signo) & ENDS && is_stuck())
			end_by(info.ssi_signo);
		atomic_fetch_or(&s->held, BIT(info.ssi_signo));
		eventfd_write(s->held_fd, 1);
	}
}

static void *watch(void *data)
{
	struct signals *s = data;
	const int either[] = { s->stop_fd, s->signal_fd };

	for (;;) {
		is_readable(either, 2, -1);
		if (is_readable(&s->stop_fd, 1, PATIENCE)) /* meanwhile the main thread takes them */
			return NULL;
		if (is_readable(&s->signal_fd, 1, 0))
			hold(s);
	}
}

/* 0 or -errno; on error the caller closes what is open. */
static int add_to_poll(int epoll, int fd)
{
	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &(struct epoll_event){ .events = EPOLLIN }) ? -errno : 0;
}

static void close_fds(struct signals *s)
{
	int *fds[] = { &s->fd, &s->signal_fd, &s->held_fd, &s->stop_fd };

	for (unsigned int i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static int open_fds(struct signals *s, const sigset_t *set)
{
	int ret;

	s->signal_fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->held_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->fd = epoll_create1(EPOLL_CLOEXEC);
	ret = s->signal_fd < 0 || s->held_fd < 0 || s->stop_fd < 0 || s->fd < 0 ? -errno : 0;
	ret = ret ?: add_to_poll(s->fd, s->signal_fd) ?: add_to_poll(s->fd, s->held_fd);
	if (ret)
		close_fds(s);
	return ret;
}

int signals__take(struct signals *s, int more, struct errmsg *err)
{
	sigset_t set;
	int i, ret;

	sigemptyset(&set);
	for (i = 0; i < SIGNALS_NR; i++) {
		if (reads(taken[i]))
			sigaddset(&set, taken[i]);
	}
	if (more)
		sigaddset(&set, more);
	s->held = 0;
	ret = open_fds(s, &set);
	if (ret)
		return errmsg__set(err, -ret, "cannot wait for signals: %s", strerror(-ret));
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	for (i = 0; i < SIGNALS_NR; i++) {
		struct sigaction action = { .sa_handler = sigismember(&set, taken[i]) ? SIG_DFL : SIG_IGN };

		sigaction(taken[i], &action, &s->old_action[i]);
	}
	failed_writes__return_errors();
	s->more = more;
	if (more)
		sigaction(more, &(struct sigaction){ .sa_handler = SIG_DFL }, &s->old_more);
	s->watched = !threads__start(&s->watcher, watch, s);
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

/*
 * One of those that the watcher holds; 0: none. It sets held before it writes, so the descriptor is read first: what is written for a bit
 * that was taken already makes the descriptor readable once more, and is read here.
 */
static int next_held(struct signals *s)
{
	unsigned long held;
	eventfd_t nr;

	eventfd_read(s->held_fd, &nr);
	held = atomic_load(&s->held);
	if (!held)
		return 0;
	if (held & (held - 1))
		eventfd_write(s->held_fd, 1); /* there are more */
	held &= -held;
	atomic_fetch_and(&s->held, ~held);
	return __builtin_ctzl(held);
}

int signals__next(struct signals *s)
{
	struct signalfd_siginfo info;
	const int held = next_held(s);

	if (held || read(s->signal_fd, &info, sizeof(info)) != sizeof(info))
		return held;
	return info.ssi_signo;
}

void signals__release(struct signals *s)
{
	if (s->fd < 0)
		return;
	if (s->watched) {
		eventfd_write(s->stop_fd, 1);
		pthread_join(s->watcher, NULL);
	}
	while (signals__next(s)) /* drop signals that arrived during the run */
		;
	restore(s);
	close_fds(s);
}
