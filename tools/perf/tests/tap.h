/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses the output of a test program in the Test Anything Protocol (https://testanything.org): a plan "1..N" and one line "ok" or
 * "not ok" per check. Also accepts cmocka's dialect, which writes "not ok N # SKIP name" for a skipped check.
 */
#ifndef PERF_TESTS_TAP_H
#define PERF_TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>

struct tap {
	const char *script;   /* the path of a script of bash, whose errors count as failures; NULL: another program */
	bool has_plan, in_failure;
	unsigned int planned, passed, failed, skipped;
	unsigned int bash_errors; /* in failed after tap__finish() */
	FILE *failures;	      /* failing checks with the lines around them */
	char *failures_text;  /* valid after tap__finish() */
	size_t failures_size;
	FILE *pending;	      /* lines since the last check: printed if the next one fails */
	char *pending_text;
	size_t pending_size;
	char skip_reason[160]; /* of the last skipped check */
};

int tap__init(struct tap *tap, const char *script); /* 0 or -ENOMEM */
void tap__exit(struct tap *tap);

void tap__line(struct tap *tap, const char *line); /* without its newline */

/*
 * Call it when the program has ended. problem: what was wrong with that end ("killed by signal 11"), or NULL. A missing plan,
 * missing checks and a problem count as failed checks.
 */
void tap__finish(struct tap *tap, const char *problem);

#endif
