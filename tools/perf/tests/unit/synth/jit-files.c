// SPDX-License-Identifier: GPL-2.0
#include "util/synth/jit-files.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include "tests/unit/symbol/fixture.h"

#define LIMIT 256

/* A process that does nothing until its end. */
static pid_t start(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		pause();
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void processes_that_end_without_a_file_make_room(void **state)
{
	struct jit_files *jit = jit_files__new();
	struct errmsg err;

	for (int i = 0; i < LIMIT + 10; i++) {
		pid_t pid = start();

		jit_files__note_code(jit, pid);
		end(pid);
	}
	assert_int_equal(jit_files__copy(jit, "cache", &err), 0);
	jit_files__delete(jit);
}

static void processes_that_find_no_room_are_told(void **state)
{
	struct jit_files *jit = jit_files__new();
	struct errmsg err;
	pid_t pid[LIMIT + 1];

	for (int i = 0; i < LIMIT + 1; i++)
		pid[i] = start();
	for (int i = 0; i < LIMIT; i++)
		jit_files__note_code(jit, pid[i]);
	jit_files__note_code(jit, pid[0]);
	assert_int_equal(jit_files__copy(jit, "cache", &err), 0);
	jit_files__note_code(jit, pid[LIMIT]);
	assert_int_equal(jit_files__copy(jit, "cache", &err), -E2BIG);
	assert_non_null(strstr(err.text, "more than 256 processes"));
	for (int i = 0; i < LIMIT + 1; i++)
		end(pid[i]);
	jit_files__delete(jit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_that_end_without_a_file_make_room),
		cmocka_unit_test(processes_that_find_no_room_are_told),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
