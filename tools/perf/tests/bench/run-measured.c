// SPDX-License-Identifier: GPL-2.0
/*
 * run-measured COMMAND...: run it with its output thrown away, and print its wall time in microseconds, its peak memory in KiB, and
 * its CPU time in microseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void run(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(127);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct timespec from, to;
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (pid == 0)
		run(argv + 1);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
		fprintf(stderr, "run-measured: %s\n", strerror(errno));
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return 1;
	printf("%lld %ld %lld\n", (to.tv_sec - from.tv_sec) * 1000000LL + (to.tv_nsec - from.tv_nsec) / 1000, usage.ru_maxrss,
	       (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	return 0;
}
