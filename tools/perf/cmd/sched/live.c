// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sched"

#include "cmd/sched/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "builtin.h"
#include "cmd/sched/record.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/lib/types.h"

/* In the new process: its standard output is the pipe. */
static int record(char **command, const char *const *usages)
{
	static const char *const first[] = { "record", "-q", "-o", "-", "--" };
	int nr = 0, ret;
	char **words;

	while (command[nr])
		nr++;
	words = calloc(ARRAY_SIZE(first) + nr + 1, sizeof(*words));
	if (!words)
		return EXIT_SETUP;
	memcpy(words, first, sizeof(first));
	memcpy(words + ARRAY_SIZE(first), command, nr * sizeof(*words));
	if (!nr)
		words[ARRAY_SIZE(first) - 1] = NULL;
	ret = sched_record(ARRAY_SIZE(first) - !nr + nr, words, usages);
	free(words);
	fflush(stdout);
	return ret;
}

/* A recording that cannot begin has said why, and ends without a byte. */
static int begins(struct sched_live *live)
{
	struct pollfd pipe = { .fd = STDIN_FILENO, .events = POLLIN };

	while (poll(&pipe, 1, -1) < 0 && errno == EINTR)
		;
	return pipe.revents & POLLIN ? 0 : sched_live__end(live) ?: EXIT_SETUP;
}

int sched_live__begin(struct sched_live *live, char **command, const char *const *usages)
{
	int fds[2];

	live->pid = 0;
	if (pipe2(fds, O_CLOEXEC)) {
		pr_err("cannot make a pipe: %s\n", strerror(errno));
		return EXIT_SETUP;
	}
	fflush(stdout);
	live->pid = fork();
	if (live->pid < 0) {
		pr_err("cannot start the recording: %s\n", strerror(errno));
		return EXIT_SETUP;
	}
	if (!live->pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(fds[1], STDOUT_FILENO);
		_exit(record(command, usages));
	}
	signal(SIGINT, SIG_IGN); /* Ctrl-C ends the recording; this process goes on and shows what was recorded */
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	return begins(live);
}

int sched_live__end(struct sched_live *live)
{
	int status = 0;

	if (!live->pid)
		return 0;
	close(STDIN_FILENO);
	while (waitpid(live->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
