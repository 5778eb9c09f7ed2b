// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "util/lib/stream.h"

/* Stdio has dropped by then what it could not write. */
static void the_cause_is_that_of_the_first_failure(void **state)
{
	FILE *fp = fopen("/dev/full", "w");

	assert_non_null(fp);
	assert_int_equal(stream__flush(fp), 0);
	fputs("text", fp);
	assert_int_equal(stream__flush(fp), -ENOSPC);
	errno = EINTR;
	assert_int_equal(stream__flush(fp), -ENOSPC);
	fclose(fp);
}

static void a_stream_that_can_be_written_has_none(void **state)
{
	FILE *fp = fopen("/dev/null", "w");

	assert_non_null(fp);
	fputs("text", fp);
	errno = EINTR;
	assert_int_equal(stream__flush(fp), 0);
	fclose(fp);
}

/* A second stream fails without its first failure seen: that of another one is not its cause. */
static void without_a_cause_it_is_an_error_still(void **state)
{
	FILE *fp = fopen("/dev/full", "w");

	assert_non_null(fp);
	setvbuf(fp, NULL, _IONBF, 0);
	fputs("text", fp);
	errno = EINTR;
	assert_int_equal(stream__flush(fp), -EIO);
	fclose(fp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_cause_it_is_an_error_still),
		cmocka_unit_test(the_cause_is_that_of_the_first_failure),
		cmocka_unit_test(a_stream_that_can_be_written_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
