/* SPDX-License-Identifier: GPL-2.0 */
/* Tests that are part of perf, for where no others are installed. They run in a process of their own, or with -F in perf's. */
#ifndef PERF_TESTS_BUILTIN_TESTS_H
#define PERF_TESTS_BUILTIN_TESTS_H

#include <stdio.h>

struct builtin_test_opts {
	const char *dso; /* the file whose symbols are tested; NULL: perf's own */
	int verbose;	 /* 2: print what is tested, too */
};

struct builtin_test {
	const char *name;
	void (*run)(FILE *out, const struct builtin_test_opts *opts); /* prints TAP */
};

extern const struct builtin_test builtin_tests[]; /* ends with a row whose name is NULL */

#endif
