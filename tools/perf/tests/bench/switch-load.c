// SPDX-License-Identifier: GPL-2.0
/*
 * Two tasks on one CPU that take turns, so that each turn is a switch: they send a byte to and fro. Each joins a cgroup of its own before. Prints
 * ns for each switch. Arguments: the number of switches, and the two cgroups' directories.
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void join_cgroup(const char *dir)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		err(1, "%s", path);
	close(fd);
}

static void take_turns(int in, int out, long nr)
{
	char byte = 'x';

	for (long i = 0; i < nr; i++) {
		if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1)
			err(1, "pipe");
	}
}

static void answer(int in, int out, const char *cgroup)
{
	char byte;

	join_cgroup(cgroup);
	while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	const long nr = argc == 4 ? atol(argv[1]) / 2 : 0;
	struct timespec begin, end;
	int there[2], back[2];
	cpu_set_t one;
	pid_t child;

	if (nr < 1)
		errx(129, "usage: switch-load SWITCHES CGROUP CGROUP");
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(there) || pipe(back))
		err(1, "set-up");
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		close(there[1]);
		answer(there[0], back[1], argv[3]);
	}
	join_cgroup(argv[2]);
	take_turns(back[0], there[1], nr / 10 + 1);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	take_turns(back[0], there[1], nr);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.0f\n", ((end.tv_sec - begin.tv_sec) * 1e9 + end.tv_nsec - begin.tv_nsec) / (2.0 * nr));
	close(there[1]);
	waitpid(child, NULL, 0);
	return 0;
}
