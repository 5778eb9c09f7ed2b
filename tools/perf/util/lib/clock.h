/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times in ns. In a time namespace (time_namespaces(7)) clock_gettime(2) adds an offset to the monotonic clocks and to those since the boot; events of
 * the kernel and BPF programs have times without it.
 */
#ifndef PERF_LIB_CLOCK_H
#define PERF_LIB_CLOCK_H

#include <time.h>
#include "util/lib/types.h"

/* As events and BPF programs have it */
u64 clock__ns(clockid_t clock);

/* As this process sees it: for calls that wait until a time, as pthread_cond_timedwait(3) */
u64 clock__own_ns(clockid_t clock);

/* Private to the above and its test: what a file as /proc/PID/timens_offsets says, in ns; 0 for clocks without an offset. */
s64 clock__offset_in(const char *text, clockid_t clock);

#endif
