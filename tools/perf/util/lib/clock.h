/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_LIB_CLOCK_H
#define PERF_LIB_CLOCK_H

#include <time.h>
#include "util/lib/types.h"

/* The time of a clock of clock_gettime(2), in ns. */
static inline u64 clock__ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#endif
