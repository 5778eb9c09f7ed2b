/* SPDX-License-Identifier: GPL-2.0 */
/* The outcome of tests as a file of JUnit's XML, as continuous integration reads it: a case for each test. */
#ifndef PERF_TESTS_JUNIT_H
#define PERF_TESTS_JUNIT_H

#include "tests/runner.h"
#include "util/lib/types.h"

struct junit;

/* Open the file, which is empty then. NULL with errno. Ended by junit__close(). */
struct junit *junit__open(const char *path);
/* A test has ended after ms. 0 or -ENOMEM. */
int junit__add(struct junit *junit, const struct test *test, const struct tap *tap, s64 ms);
/* Write the file. 0 or -errno: it is incomplete. Takes NULL. */
int junit__close(struct junit *junit);

#endif
