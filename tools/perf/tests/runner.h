/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the test programs below a directory and runs them: unit/<folder>/<name> (cmocka programs), and the scripts
 * cmd/<name>.sh and source/<name>.sh.
 */
#ifndef PERF_TESTS_RUNNER_H
#define PERF_TESTS_RUNNER_H

#include <stdbool.h>

#include "tests/builtin-tests.h"
#include "tests/tap.h"
#include "util/lib/types.h"

struct test {
	char *path; /* NULL: it is builtin */
	const struct builtin_test *builtin;
	char *name; /* "filter parse", "cmd basics" */
	unsigned int number; /* from 1 */
	bool chosen;	     /* false: test_list__run() skips it */
};

struct test_list {
	struct test *test;
	unsigned int nr;
};

/* Find all tests below dir, units first, by name, none of them chosen. 0 or -errno; call test_list__exit() in any case. */
int test_list__find(struct test_list *list, const char *dir);
/* Those of perf itself, behind what was found. 0 or -ENOMEM. */
int test_list__add_builtin(struct test_list *list);
void test_list__exit(struct test_list *list);

#define MAX_JOBS 64

struct test_run_opts {
	bool echo;	      /* print the output, too */
	unsigned int seconds; /* the time limit of one test */
	unsigned int jobs;    /* tests at a time: 1 ... MAX_JOBS */
	bool no_fork;	      /* run built-in tests in this process; others cannot be */
	struct builtin_test_opts builtin;
	/* Each test when it begins and when it has ended; never two calls at a time. The tap is the callee's until it returns. */
	void (*started)(const struct test *test, void *arg);
	void (*ended)(const struct test *test, const struct tap *tap, s64 ms, void *arg);
	void *arg;
};

/*
 * Run the chosen tests, each in a process group of its own, with PERF set to the path of this perf. When a test ends or exceeds its
 * time limit, its whole group is killed. 0, or -errno if one could not be run at all; then no further ones begin.
 */
int test_list__run(const struct test_list *list, const struct test_run_opts *opts);

#endif
