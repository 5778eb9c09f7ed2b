/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the test programs below a directory and runs them: unit/<folder>/<name> (cmocka programs), and the scripts
 * cmd/<name>.sh and source/<name>.sh.
 */
#ifndef PERF_TESTS_RUNNER_H
#define PERF_TESTS_RUNNER_H

#include <stdbool.h>

#include "tests/tap.h"

struct test {
	char *path;
	char *name; /* "filter parse", "cmd basics" */
};

struct test_list {
	struct test *test;
	unsigned int nr;
};

/* All tests below dir, units first, by name. 0 or -errno; the list is freed by test_list__exit() in any case. */
int test_list__find(struct test_list *list, const char *dir);
void test_list__exit(struct test_list *list);

struct run_opts {
	bool echo;	      /* print the output, too */
	unsigned int seconds; /* the time limit of one test */
};

/*
 * Run one test in a process group of its own, with PERF set to the path of this perf, and read its output into *tap
 * (initialised by tap__init()), which is finished then. When the test ends or its time is over, its whole group is
 * killed. 0, or -errno if it could not be run at all.
 */
int test__run(const struct test *test, struct tap *tap, const struct run_opts *opts);

#endif
