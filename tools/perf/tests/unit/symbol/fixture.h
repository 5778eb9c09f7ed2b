/* SPDX-License-Identifier: GPL-2.0 */
/* A scratch directory and commands in it, for tests that need compiled programs. */
#ifndef TESTS_UNIT_SYMBOL_FIXTURE_H
#define TESTS_UNIT_SYMBOL_FIXTURE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char scratch[64];

static inline int scratch_setup(void **state)
{
	strcpy(scratch, "/tmp/perf-unit-symbol-XXXXXX");
	return mkdtemp(scratch) && !chdir(scratch) ? 0 : -1;
}

static inline int scratch_teardown(void **state)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", scratch);
	return chdir("/") || system(cmd) ? -1 : 0;
}

/* Run a shell command that must succeed. */
__attribute__((format(printf, 1, 2))) static inline void run(const char *fmt, ...)
{
	char cmd[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, args);
	va_end(args);
	if (system(cmd))
		fail_msg("command failed: %s", cmd);
}

static inline void write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static inline void write_text(const char *path, const char *text)
{
	write_file(path, text, strlen(text));
}

/* A path in the scratch directory; valid until the next call but one. */
static inline const char *in_scratch(const char *name)
{
	static char buf[2][128];
	static int which;

	which = !which;
	snprintf(buf[which], sizeof(buf[which]), "%s/%s", scratch, name);
	return buf[which];
}

#endif
