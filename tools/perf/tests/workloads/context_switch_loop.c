// SPDX-License-Identifier: GPL-2.0
/* Two processes hand a byte to and fro: each waits for the other one. */
#include "tests/workload.h"

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_LOOPS 100

static volatile unsigned long work;

static bool give(int fd)
{
	return write(fd, "", 1) == 1;
}

static bool take(int fd)
{
	char byte;
	ssize_t n;

	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	return n == 1;
}

WORKLOAD_FUNCTION int context_switch_loop_proc1(int in, int out, unsigned long loops)
{
	while (loops--) {
		if (!take(in))
			return 1;
		work++;
		if (!give(out))
			return 1;
	}
	return 0;
}

WORKLOAD_FUNCTION int context_switch_loop_proc2(int in, int out, unsigned long loops)
{
	while (loops--) {
		if (!give(out))
			return 1;
		work++;
		if (!take(in))
			return 1;
	}
	return 0;
}

static void __attribute__((noreturn)) run_child(const int down[2], const int up[2], unsigned long loops)
{
	close(down[1]);
	close(up[0]);
	prctl(PR_SET_NAME, "proc1");
	_exit(context_switch_loop_proc1(down[0], up[1], loops));
}

int workload_context_switch_loop(int argc, char **argv)
{
	unsigned long loops = DEFAULT_LOOPS;
	int down[2], up[2], status, ret;
	pid_t pid;

	if (workload__parse_loops(argc, argv, &loops))
		return 1;
	if (pipe(down) || pipe(up) || (pid = fork()) < 0) {
		warn("cannot start the other process");
		return 1;
	}
	if (!pid)
		run_child(down, up, loops);
	close(down[0]);
	close(up[1]);
	prctl(PR_SET_NAME, "proc2");
	ret = context_switch_loop_proc2(up[0], down[1], loops);
	close(down[1]); /* if this one failed, the other one ends, too */
	close(up[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return ret || status;
}
