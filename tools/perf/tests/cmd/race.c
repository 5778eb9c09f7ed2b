// SPDX-License-Identifier: GPL-2.0
/*
 * A library to preload that lets another one come between: just before the first call of
 *	RACE=flock: flock(2)
 *	RACE=PATH: open(2) that may create PATH, spelled like this
 *	RACE=dup:PATH: dup(2) of a descriptor of the file PATH
 * or just behind the first one that is
 *	RACE=pause: ioctl(2) that pauses a ring buffer of perf events
 * it runs the shell's command RACE_COMMAND and waits for it. All other calls are what they are. With
 *	RACE=exit
 * the process does not end: it becomes the command.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The command, once, if it is for what happens now. */
static const char *take_command(const char *what)
{
	const char *race = getenv("RACE"), *command = getenv("RACE_COMMAND");

	if (!race || !command || strcmp(race, what))
		return NULL;
	unsetenv("RACE");
	unsetenv("LD_PRELOAD");
	return command;
}

static void come_between(const char *what)
{
	const char *command = take_command(what);

	if (command && system(command))
		abort();
}

__attribute__((destructor)) static void go_on(void)
{
	const char *command = take_command("exit");

	if (command)
		execl("/bin/sh", "sh", "-c", command, NULL);
}

int flock(int fd, int operation)
{
	int (*next)(int fd, int operation) = dlsym(RTLD_NEXT, "flock");

	come_between("flock");
	return next(fd, operation);
}

int dup(int fd)
{
	char link[64], what[4096] = "dup:";
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, what + 4, sizeof(what) - 5);
	if (size > 0)
		come_between(what);
	return syscall(SYS_dup, fd);
}

int open(const char *path, int flags, ...)
{
	int (*next)(const char *path, int flags, ...) = dlsym(RTLD_NEXT, "open");
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | __O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	if (flags & O_CREAT)
		come_between(path);
	return next(path, flags, mode);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	long arg;
	int ret;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	ret = syscall(SYS_ioctl, fd, request, arg);
	if (!ret && request == PERF_EVENT_IOC_PAUSE_OUTPUT && arg)
		come_between("pause");
	return ret;
}
