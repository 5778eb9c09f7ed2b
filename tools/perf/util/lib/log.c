// SPDX-License-Identifier: GPL-2.0
#include "util/lib/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int verbosity;
static int quiet;

void log__set_verbosity(int verbose)
{
	verbosity = verbose;
}

void log__set_quiet(int on)
{
	quiet = on;
}

int log__enabled(enum log_level level)
{
	switch (level) {
	case LOG_ERR:
		return true;
	case LOG_WARN:
	case LOG_INFO:
		return !quiet;
	case LOG_DEBUG:
		return verbosity >= 1;
	case LOG_DEBUG2:
		return verbosity >= 2;
	}
	return false;
}

void log__printf(enum log_level level, const char *domain, const char *fmt, ...)
{
	int saved_errno = errno;
	va_list ap;

	if (!log__enabled(level))
		return;
	va_start(ap, fmt);
	/* One message stays in one piece when several threads log. */
	flockfile(stderr);
	if (level >= LOG_DEBUG)
		fprintf(stderr, "%s: ", domain);
	vfprintf(stderr, fmt, ap);
	funlockfile(stderr);
	va_end(ap);
	errno = saved_errno;
}
