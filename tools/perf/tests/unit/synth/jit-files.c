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

/* The number of files with names of its code, which it is known to make */
static u32 nr_files_of(pid_t pid)
{
	struct jit_files *jit = jit_files__new();
	struct perfdata_features f = { 0 };
	u32 nr;

	jit_files__note_code(jit, pid);
	assert_int_equal(jit_files__list(jit, &f), 0);
	nr = f.nr_build_id;
	for (u32 i = 0; i < nr; i++)
		free(f.build_id[i].filename);
	free(f.build_id);
	jit_files__delete(jit);
	return nr;
}

/* Anybody may write to /tmp: a file there of neither root nor the process's user has names that another one made up. */
static void files_of_others_are_not_taken(void **state)
{
	pid_t pid;
	char path[64];

	if (geteuid())
		skip();
	pid = start();
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	run("echo '7f0000001000 10 made_up' >%s", path);
	assert_int_equal(nr_files_of(pid), 1);
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(nr_files_of(pid), 0);
	assert_int_equal(unlink(path), 0);
	end(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_that_end_without_a_file_make_room),
		cmocka_unit_test(processes_that_find_no_room_are_told),
		cmocka_unit_test(files_of_others_are_not_taken),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
