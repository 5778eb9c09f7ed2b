// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/lib/program.h"

struct lines {
	char text[64];
	int nr, refused; /* line number that is refused; 0: none */
};

static int take(const char *line, void *data)
{
	struct lines *lines = data;

	if (++lines->nr == lines->refused)
		return -EFBIG;
	if (strlen(lines->text) + strlen(line) + 2 < sizeof(lines->text))
		strcat(strcat(lines->text, line), ";");
	return 0;
}

static int run(const char *script, struct lines *lines)
{
	return program__for_each_line((char *const[]){ (char *)"/bin/sh", (char *)"-c", (char *)script, NULL }, take, lines);
}

static void lines_come_without_their_ends(void **state)
{
	struct lines lines = {};

	assert_int_equal(run("printf 'a\\n\\nb'", &lines), 0);
	assert_string_equal(lines.text, "a;;b;");
}

static void the_status_comes_back(void **state)
{
	struct lines lines = {};

	assert_int_equal(run("echo a; exit 3", &lines), 3);
	assert_string_equal(lines.text, "a;");
	assert_int_equal(run("kill -KILL $$", &lines), 128 + 9);
	assert_int_equal(program__for_each_line((char *const[]){ (char *)"/nonexistent/x", NULL }, take, &lines), -ENOENT);
}

/* perf ignores them while it watches; a program whose reader has gone would never end. */
static void failed_writes_end_it(void **state)
{
	const unsigned long long mask = 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1);
	struct lines lines = {};
	unsigned long long ignored;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(run("grep SigIgn /proc/self/status", &lines), 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(sscanf(lines.text, "SigIgn: %llx;", &ignored), 1);
	assert_int_equal(ignored & mask, 0);
}

static void a_line_may_end_it(void **state)
{
	struct lines lines = { .refused = 2 };

	assert_int_equal(run("while echo y; do :; done", &lines), -EFBIG);
	assert_int_equal(lines.nr, 2);
}

static int leave(const char *line, void *data)
{
	pid_t *pid = data;

	*pid = atoi(line);
	kill(getpid(), SIGKILL);
	return 0;
}

/* Even if it never writes, and so learns nothing from the pipe. The test adopts it, and waits for its end. */
static void it_ends_when_perf_is_killed(void **state)
{
	pid_t *program = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), killed;
	int status;

	assert_true(program != MAP_FAILED);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	killed = fork();
	assert_true(killed >= 0);
	if (!killed) {
		program__for_each_line((char *const[]){ (char *)"/bin/sh", (char *)"-c", (char *)"echo $$; exec sleep 1000", NULL }, leave, program);
		_exit(1);
	}
	assert_int_equal(waitpid(killed, &status, 0), killed);
	assert_true(WIFSIGNALED(status));
	assert_true(*program > 0);
	alarm(30);
	assert_int_equal(waitpid(*program, &status, 0), *program);
	alarm(0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	munmap(program, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_without_their_ends), cmocka_unit_test(the_status_comes_back),
		cmocka_unit_test(failed_writes_end_it),          cmocka_unit_test(a_line_may_end_it),
		cmocka_unit_test(it_ends_when_perf_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
