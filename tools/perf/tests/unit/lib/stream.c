// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

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

/* A stream fails without its failure seen: that of another call is not its cause. */
static void without_a_cause_it_is_an_error_still(void **state)
{
	char text[8] = "";
	int fd[2];
	FILE *fp;

	assert_int_equal(pipe(fd), 0);
	fp = fdopen(fd[1], "w");
	assert_non_null(fp);
	setvbuf(fp, NULL, _IONBF, 0);
	assert_int_equal(fcntl(fd[1], F_SETFL, O_NONBLOCK), 0);
	while (write(fd[1], text, sizeof(text)) > 0)
		;
	fputs("text", fp);
	errno = EINTR;
	assert_int_equal(stream__flush(fp), -EIO);
	fclose(fp);
	close(fd[0]);
}

/* Neither when there is room again, nor by a signal. */
/* What is printed goes on, and other calls fail meanwhile. */
static void a_lost_reader_is_seen_later(void **state)
{
	char text[2 * BUFSIZ] = "";
	int ends[2];
	FILE *fp;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	fp = fdopen(ends[1], "w");
	assert_non_null(fp);
	assert_int_not_equal(fwrite(text, 1, sizeof(text), fp), sizeof(text));
	errno = 0;
	assert_int_equal(stream__flush(fp), -EPIPE);
	assert_true(stream__lost_reader());
	fclose(fp);
	signal(SIGPIPE, SIG_DFL);
}

static void nothing_is_written_after_a_failure(void **state)
{
	char text[8] = "";
	int fd[2];
	FILE *fp;

	assert_int_equal(pipe(fd), 0);
	fp = fdopen(fd[1], "w");
	assert_non_null(fp);
	assert_int_equal(fcntl(fd[1], F_SETFL, O_NONBLOCK), 0);
	while (write(fd[1], text, sizeof(text)) > 0)
		;
	fputs("lost", fp);
	assert_int_equal(stream__flush(fp), -EAGAIN);
	while (fcntl(fd[0], F_SETFL, O_NONBLOCK) == 0 && read(fd[0], text, sizeof(text)) > 0)
		;
	fputs("late", fp);
	assert_int_equal(stream__flush(fp), -EAGAIN);
	assert_int_equal(read(fd[0], text, sizeof(text)), 0); /* nobody can write any more */
	close(fd[0]);
	fputs("later", fp);
	assert_int_equal(stream__flush(fp), -EAGAIN);
	fclose(fp);
}

/* What does not fit into stdio's buffer is written while it is printed. */
static void what_fails_while_it_is_printed_has_its_cause(void **state)
{
	char text[2 * BUFSIZ] = "";
	FILE *fp = fopen("/dev/full", "w");

	assert_non_null(fp);
	assert_int_not_equal(fwrite(text, 1, sizeof(text), fp), sizeof(text));
	assert_int_equal(stream__flush(fp), -ENOSPC);
	fclose(fp);
	fp = fopen("/dev/full", "w");
	assert_non_null(fp);
	assert_int_not_equal(fwrite(text, 1, sizeof(text), fp), sizeof(text));
	errno = 0; /* another call has changed it */
	assert_int_equal(stream__flush(fp), -ENOSPC);
	fclose(fp);
}

static void two_streams_have_their_own_causes(void **state)
{
	FILE *full = fopen("/dev/full", "w"), *closed = fopen("/dev/null", "w");
	const int read_only = open("/dev/null", O_RDONLY);

	assert_non_null(full);
	assert_non_null(closed);
	assert_int_equal(dup2(read_only, fileno(closed)), fileno(closed));
	fputs("text", full);
	fputs("text", closed);
	assert_int_equal(stream__flush(full), -ENOSPC);
	assert_int_equal(stream__flush(closed), -EBADF);
	assert_int_equal(stream__flush(full), -ENOSPC);
	assert_int_equal(stream__flush(closed), -EBADF);
	fclose(full);
	fclose(closed);
	close(read_only);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_cause_it_is_an_error_still),
		cmocka_unit_test(the_cause_is_that_of_the_first_failure),
		cmocka_unit_test(a_stream_that_can_be_written_has_none),
		cmocka_unit_test(a_lost_reader_is_seen_later),
		cmocka_unit_test(nothing_is_written_after_a_failure),
		cmocka_unit_test(what_fails_while_it_is_printed_has_its_cause),
		cmocka_unit_test(two_streams_have_their_own_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
