// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "unit"
#include "util/lib/log.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What one message of each level leaves on stderr. */
static const char *log_all(int verbose, int quiet)
{
	static char text[256];
	FILE *tmp = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t len;

	assert_non_null(tmp);
	assert_true(saved >= 0);
	dup2(fileno(tmp), STDERR_FILENO);
	log__set_verbosity(verbose);
	log__set_quiet(quiet);
	pr_err("err\n");
	pr_warn("warn\n");
	pr_info("info\n");
	pr_debug("debug %d\n", 1);
	pr_debug2("debug %d\n", 2);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(tmp);
	len = fread(text, 1, sizeof(text) - 1, tmp);
	text[len] = '\0';
	fclose(tmp);
	log__set_verbosity(0);
	log__set_quiet(0);
	return text;
}

static void levels_follow_verbosity(void **state)
{
	assert_string_equal(log_all(0, 0), "err\nwarn\ninfo\n");
	assert_string_equal(log_all(1, 0), "err\nwarn\ninfo\nunit: debug 1\n");
	assert_string_equal(log_all(2, 0), "err\nwarn\ninfo\nunit: debug 1\nunit: debug 2\n");
}

static void quiet_leaves_errors(void **state)
{
	assert_string_equal(log_all(0, 1), "err\n");
}

static void printed_warnings_are_counted(void **state)
{
	unsigned int before = log__nr_warnings();

	log_all(0, 0);
	assert_int_equal(log__nr_warnings() - before, 1);
	log_all(2, 1);
	assert_int_equal(log__nr_warnings() - before, 1);
}

static void logging_keeps_errno(void **state)
{
	int saved = dup(STDERR_FILENO), after;

	assert_true(saved >= 0);
	close(STDERR_FILENO); /* so that printing itself fails and sets errno */
	errno = ENOSPC;
	pr_err("lost\n");
	after = errno;
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_int_equal(after, ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_follow_verbosity),
		cmocka_unit_test(quiet_leaves_errors),
		cmocka_unit_test(printed_warnings_are_counted),
		cmocka_unit_test(logging_keeps_errno),
	};

	return cmocka_run_group_tests_name("lib/log", tests, NULL, NULL);
}
