// SPDX-License-Identifier: GPL-2.0
/* A library to preload that makes the kernel one before 6.0: events do not count what they lose. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

long syscall(long nr, ...)
{
	long (*next)(long nr, ...) = dlsym(RTLD_NEXT, "syscall");
	long arg[6];
	va_list args;

	va_start(args, nr);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (nr == SYS_perf_event_open && ((const struct perf_event_attr *)arg[0])->read_format & PERF_FORMAT_LOST) {
		errno = EINVAL;
		return -1;
	}
	return next(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
