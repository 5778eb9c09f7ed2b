// SPDX-License-Identifier: GPL-2.0
#include "util/lib/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/printable.h"

static int verbosity;
static int quiet;
static atomic_uint nr_warnings;

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

unsigned int log__nr_warnings(void)
{
	return nr_warnings;
}

/* Messages may contain names of files, and contents of files. */
static const char *clean_lines(char *text)
{
	char *line = text;

	for (size_t len = strcspn(line, "\n"); ; line += len + 1, len = strcspn(line, "\n")) {
		printable__clean_line(line, len);
		if (!line[len])
			return text;
	}
}

void log__printf(enum log_level level, const char *domain, const char *fmt, ...)
{
	int saved_errno = errno;
	va_list ap;
	char *text;

	if (!log__enabled(level))
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	nr_warnings += level == LOG_WARN;
	/* Print a message in one piece even if several threads log. */
	flockfile(stderr);
	if (level >= LOG_DEBUG)
		fprintf(stderr, "%s: ", domain);
	fputs(text ? clean_lines(text) : "out of memory\n", stderr);
	funlockfile(stderr);
	free(text);
	errno = saved_errno;
}
