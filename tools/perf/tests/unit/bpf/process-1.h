/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Some kernels of virtual machines hide all that comes while a thread of process 1 runs, their agent: from BPF programs and recordings, without a
 * count. A test of exact numbers holds where those threads had no CPU meanwhile.
 */
#ifndef PERF_TESTS_UNIT_BPF_PROCESS_1_H
#define PERF_TESTS_UNIT_BPF_PROCESS_1_H

#include <glob.h>
#include <stdio.h>
#include "util/lib/types.h"

/* Differs from what it was when one of these threads got a CPU in between, or left it: the sum of their times and turns. */
static inline u64 process_1_ran(void)
{
	unsigned long long ran, waited, turns;
	glob_t found;
	u64 sum = 0;

	if (glob("/proc/1/task/*/schedstat", 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *f = fopen(found.gl_pathv[i], "re");

		if (f && fscanf(f, "%llu %llu %llu", &ran, &waited, &turns) == 3)
			sum += ran + turns;
		if (f)
			fclose(f);
	}
	globfree(&found);
	return sum;
}

#endif
