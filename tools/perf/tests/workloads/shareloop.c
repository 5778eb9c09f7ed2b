// SPDX-License-Identifier: GPL-2.0
/* One thread that gives two functions 7 and 3 parts of its CPU time, whatever else runs. */
#include "tests/workload.h"

#include <time.h>

#include "util/lib/types.h"

#define SPINS 50000 /* some 25 us: the clock is read rarely enough not to show */

static u64 thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/*
 * Two bodies, so that the compiler cannot make them one; what one is late is taken from its next turn, but from no other: time that a
 * guest's host takes away counts as CPU time, and has no samples.
 */
#define DEFINE_SHARE(name, turn)					\
	WORKLOAD_FUNCTION void name(void)				\
	{								\
		static u64 end, used; /* of CPU time, in ns */		\
		volatile unsigned int spins;				\
		u64 start = thread_ns(), now = start;			\
									\
		end += (turn);						\
		while (used + now - start < end) {			\
			for (spins = 0; spins < SPINS; spins++)		\
				;					\
			now = thread_ns();				\
		}							\
		used += now - start;					\
		if (used > end + (turn))				\
			used = end + (turn);				\
	}

/*
 * In ns. Both are 1.618 ms together: turns of 10 ms, of which samples in each millisecond see nearly the same points again and again, had
 * up to 4 % more or less than their share.
 */
DEFINE_SHARE(seven_parts, 1132600)
DEFINE_SHARE(three_parts, 485400)

int workload_shareloop(int argc, char **argv)
{
	if (workload__start(argc, argv))
		return 1;
	while (!workload_done) {
		seven_parts();
		three_parts();
	}
	return 0;
}
