// SPDX-License-Identifier: GPL-2.0
#include "tests/workload.h"

#include <err.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double root = 2.0;

/* Newton's iteration, to need no libm. */
WORKLOAD_FUNCTION void sqrtloop(void)
{
	while (!workload_done)
		root = (root + 2.0 / root) / 2.0;
}

int workload_sqrtloop(int argc, char **argv)
{
	int status;
	pid_t pid = fork();

	if (pid < 0) {
		warn("cannot fork");
		return 1;
	}
	if (!pid) {
		if (workload__start(argc, argv)) /* timers are not inherited */
			_exit(1);
		sqrtloop();
		_exit(0);
	}
	signal(SIGINT, SIG_IGN); /* the child gets it as well, and ends */
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			warn("waitpid");
			return 1;
		}
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
