// SPDX-License-Identifier: GPL-2.0
/*
 * A library to preload into perf: a target starts a task at the moments that matter, and perf goes on when it runs. $START_AT says when:
 * "open" before an event of the target is opened, "attach" before an event gets its program, "listed" after /proc was read; $START_NR how
 * often. The target is a 'starter' (tests/workloads/starter.c) that reads the pipe "ask" and writes to "answer". $START_LOG, if set, is
 * the file that gets a byte for each start. $END_PID has to end before /proc is read, when it has run for a while.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(void)
{
	const char *path = getenv("START_LOG");
	int log = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (path && (log < 0 || write(log, "s", 1) != 1))
		err(1, "%s", path);
	if (path)
		close(log);
}

static void start(const char *at)
{
	static int nr = -1;
	const char *wanted = getenv("START_AT");
	char byte = 0;
	int ask, answer;

	if (!wanted || strcmp(wanted, at))
		return;
	if (nr < 0)
		nr = atoi(getenv("START_NR"));
	if (!nr)
		return;
	nr--;
	ask = open("ask", O_WRONLY | O_CLOEXEC);
	answer = open("answer", O_RDONLY | O_CLOEXEC);
	if (write(ask, &byte, 1) != 1 || read(answer, &byte, 1) != 1)
		err(1, "the target starts nothing");
	close(ask);
	close(answer);
	note();
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	long arg;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	if (request == PERF_EVENT_IOC_SET_BPF)
		start("attach");
	return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(SYS_ioctl, fd, request, arg);
}

long syscall(long nr, ...)
{
	long arg[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_perf_event_open && (int)arg[1] > 0)
		start("open");
	return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

static unsigned long long runtime(const char *pid)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/schedstat", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu", &ns) != 1)
		errx(1, "%s does not run", pid);
	fclose(f);
	return ns;
}

static void end(const char *pid)
{
	unsigned long long from = runtime(pid);
	char path[64];

	while (runtime(pid) < from + 50000000)
		usleep(1000);
	kill(atoi(pid), SIGKILL);
	snprintf(path, sizeof(path), "/proc/%s", pid);
	while (!access(path, F_OK))
		usleep(1000);
}

static DIR *proc;

DIR *opendir(const char *path)
{
	DIR *dir;

	if (!strcmp(path, "/proc") && getenv("END_PID"))
		end(getenv("END_PID"));
	dir = ((DIR *(*)(const char *))dlsym(RTLD_NEXT, "opendir"))(path);
	if (!strcmp(path, "/proc"))
		proc = dir;
	return dir;
}

int closedir(DIR *dir)
{
	if (dir == proc)
		start("listed");
	return ((int (*)(DIR *))dlsym(RTLD_NEXT, "closedir"))(dir);
}
