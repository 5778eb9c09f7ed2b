// SPDX-License-Identifier: GPL-2.0
#include "util/lib/half-file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/lib/threads.h"
#include "util/lib/types.h"

#define NR_THREADS 2
#define NR_EACH 100000
#define LOST 78

static u32 nr_removed;

/* In the place of the C library's: counts the files that half_files__remove() asks for. */
int unlink(const char *path)
{
	nr_removed++;
	return unlinkat(AT_FDCWD, path, 0);
}

static void write_half(void)
{
	char path[] = "/tmp/perf-half.XXXXXX", whole[] = "/tmp/perf-whole.XXXXXX";
	int half_fd = mkstemp(path), whole_fd = mkstemp(whole);
	struct half_file *half = half_file__new(path), *done = half_file__new(whole);
	bool wrong;

	half_file__done(done);
	half_file__done(NULL);
	half_files__remove();
	wrong = half_fd < 0 || whole_fd < 0 || !half || !access(path, F_OK) || access(whole, F_OK);
	unlink(whole);
	_exit(wrong);
}

static atomic_uint nr_ready;

/* Nothing but the adding is done by all threads at the same time: that makes it likely that one comes between another's steps. */
static void *add_all(void *arg)
{
	atomic_fetch_add(&nr_ready, 1);
	while (atomic_load(&nr_ready) < NR_THREADS)
		sched_yield();
	for (u32 i = 0; i < NR_EACH; i++) {
		if (!half_file__new("/nonexistent"))
			_exit(1);
	}
	return NULL;
}

static void add_in_threads(void)
{
	pthread_t threads[NR_THREADS];

	for (u32 i = 0; i < NR_THREADS; i++) {
		if (threads__start(&threads[i], add_all, NULL))
			_exit(1);
	}
	for (u32 i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	half_files__remove();
	_exit(nr_removed == NR_THREADS * NR_EACH ? 0 : LOST);
}

/* The list of files is the process's: each test has its own. */
static void succeeds(void (*run)(void))
{
	pid_t pid = fork();
	int status;

	assert_return_code(pid, errno);
	if (!pid)
		run();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void only_half_files_go(void **state)
{
	succeeds(write_half);
}

static void none_is_forgotten_that_threads_add_at_once(void **state)
{
	succeeds(add_in_threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_half_files_go),
		cmocka_unit_test(none_is_forgotten_that_threads_add_at_once),
	};

	return cmocka_run_group_tests_name("lib/half-file", tests, NULL, NULL);
}
