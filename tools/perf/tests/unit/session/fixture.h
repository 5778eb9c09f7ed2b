/* SPDX-License-Identifier: GPL-2.0 */
/* A separate file for each test program: the session's input, and the .old file that a writer leaves. */
#ifndef PERF_TESTS_SESSION_FIXTURE_H
#define PERF_TESTS_SESSION_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/perf-session.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	char old[sizeof(path) + 4];

	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
	return unlink(path);
}

#endif
