// SPDX-License-Identifier: GPL-2.0
#include "util/lib/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "util/lib/failed-writes.h"

#define OUTPUT_MAX (64u << 10)

/* NULL: it is no program, or there is no memory. */
static char *find_in(const char *dir, int len, const char *name)
{
	struct stat st;
	char *path;

	if (asprintf(&path, "%.*s/%s", len, dir, name) < 0)
		return NULL;
	if (!stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK))
		return path;
	free(path);
	return NULL;
}

char *program__find(const char *name)
{
	const char *dir = getenv("PATH") ?: "";
	char *path = NULL;

	/* With an empty or relative place the current directory would choose the program. */
	for (size_t len; !path; dir += len + 1) {
		len = strcspn(dir, ":");
		if (*dir == '/')
			path = find_in(dir, len, name);
		if (!dir[len])
			break;
	}
	return path;
}

/* In the child, which shares perf's memory until it executes the program. Returns errno. */
static int execute(char *const *argv, int output, pid_t perf)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
		return errno;
	/* A disassembler may work for minutes before it writes, and so learns that perf is gone. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != perf)
		return errno ?: ESRCH;
	failed_writes__end_program(); /* perf ignores them while it watches */
	execve(argv[0], argv, environ);
	return errno;
}

/* The standard output becomes the writing end of a pipe. 0 or a positive errno. */
static int spawn(char *const *argv, int output, pid_t *pid)
{
	pid_t perf = getpid();
	volatile int error = 0;

	*pid = vfork();
	if (*pid < 0)
		return errno;
	if (!*pid) {
		error = execute(argv, output, perf);
		_exit(127);
	}
	if (error)
		waitpid(*pid, NULL, 0);
	return error;
}

static char *read_all(int fd)
{
	char *text = malloc(OUTPUT_MAX + 1);
	size_t size = 0;
	ssize_t got = 1;

	while (text && size < OUTPUT_MAX && got > 0) {
		got = read(fd, text + size, OUTPUT_MAX - size);
		if (got > 0)
			size += got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	if (text)
		text[size] = '\0';
	return text;
}

char *program__output(char *const *argv)
{
	int fd[2], ret;
	char *text = NULL;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return NULL;
	ret = spawn(argv, fd[1], &pid);
	close(fd[1]);
	if (!ret)
		text = read_all(fd[0]);
	close(fd[0]); /* one that prints more ends by SIGPIPE */
	if (!ret)
		waitpid(pid, NULL, 0);
	errno = ret ?: text ? 0 : ENOMEM;
	return text;
}

static int read_lines(FILE *fp, int (*line)(const char *line, void *data), void *data)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t len;
	int ret = 0;

	while (!ret && (len = getline(&text, &size, fp)) > 0) {
		if (text[len - 1] == '\n')
			text[len - 1] = '\0';
		ret = line(text, data);
	}
	free(text);
	return ret < 0 ? ret : 0;
}

int program__for_each_line(char *const *argv, int (*line)(const char *line, void *data), void *data)
{
	int fd[2], status = 0, ret;
	FILE *fp;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	ret = -spawn(argv, fd[1], &pid);
	close(fd[1]);
	fp = ret ? NULL : fdopen(fd[0], "r");
	if (fp) {
		ret = read_lines(fp, line, data);
		fclose(fp); /* one that prints more ends by SIGPIPE */
	} else {
		ret = ret ?: -errno;
		close(fd[0]);
		return ret;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return ret ?: WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
