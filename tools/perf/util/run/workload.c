// SPDX-License-Identifier: GPL-2.0
#include "util/run/workload.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Parent and child talk over a socket pair: one byte from the parent lets the child exec, a close makes the child exit; the child
 * answers with the errno of a failed exec; a successful exec closes the socket.
 */

static ssize_t recv_retry(int fd, void *buf, size_t size)
{
	ssize_t n;

	do
		n = recv(fd, buf, size, 0);
	while (n < 0 && errno == EINTR);
	return n;
}

static void __attribute__((noreturn)) child(const struct workload *w, char *const *argv, int fd, const struct signals *signals,
						     bool stdout_taken)
{
	int error;
	char go;

	signals__restore(signals);
	if (recv_retry(fd, &go, 1) != 1)
		_exit(255);
	/* Events begin in exec, a moment before the kernel gives the task this name. Until here the task is perf's. */
	prctl(PR_SET_NAME, w->comm);
	if (stdout_taken)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	error = errno;
	send(fd, &error, sizeof(error), MSG_NOSIGNAL);
	_exit(127);
}

int workload__fork(struct workload *w, char *const *argv, const struct signals *signals, bool stdout_taken,
		   struct errmsg *err)
{
	const char *slash = strrchr(argv[0], '/');
	int fd[2], error;

	w->name = argv[0];
	w->comm = slash ? slash + 1 : argv[0];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		return errmsg__set(err, errno, "Failed to run '%s': %s", argv[0], strerror(errno));
	w->pid = fork();
	if (w->pid < 0) {
		error = errno;
		close(fd[0]);
		close(fd[1]);
		w->pid = 0;
		return errmsg__set(err, error, "Failed to run '%s': %s", argv[0], strerror(error));
	}
	if (!w->pid) {
		close(fd[0]);
		child(w, argv, fd[1], signals, stdout_taken);
	}
	close(fd[1]);
	w->fd = fd[0];
	return 0;
}

int workload__exec(struct workload *w, struct errmsg *err)
{
	int error = 0;

	/* A child that was killed in the meantime neither reads the byte nor answers; reaping it shows its end. */
	if (send(w->fd, "", 1, MSG_NOSIGNAL) == 1)
		recv_retry(w->fd, &error, sizeof(error));
	else if (errno != EPIPE)
		error = errno;
	close(w->fd);
	w->fd = -1;
	return error ? errmsg__set(err, error, "Failed to run '%s': %s", w->name, strerror(error)) : 0;
}

bool workload__reap(struct workload *w)
{
	pid_t pid = 0;

	if (w->pid && !w->ended) {
		do
			pid = wait4(w->pid, &w->status, WNOHANG, &w->usage);
		while (pid < 0 && errno == EINTR);
	}
	w->ended |= pid > 0;
	return w->ended;
}

void workload__end(struct workload *w)
{
	if (!w->pid || workload__reap(w))
		return;
	if (w->fd >= 0) {
		close(w->fd);
	} else {
		kill(w->pid, SIGTERM);
		kill(w->pid, SIGCONT); /* a stopped process handles no other signal */
	}
	w->fd = -1;
	while (wait4(w->pid, &w->status, 0, &w->usage) < 0 && errno == EINTR)
		;
	w->ended = true;
}

int workload__exit_code(const struct workload *w)
{
	return WIFSIGNALED(w->status) ? 128 + WTERMSIG(w->status) : WEXITSTATUS(w->status);
}
