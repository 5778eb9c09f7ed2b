/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of CPUs in perf's records: a list, a mask or a range (Documentation/perf.data-format.txt, CPU_MAP). */
#ifndef PERF_PERFDATA_CPU_SET_H
#define PERF_PERFDATA_CPU_SET_H

#include <stddef.h>
#include "util/lib/cpumap.h"

/*
 * The CPUs in the size bytes at data, which begin with a u16 for the form; without what does not fit, and without "any CPU". The caller
 * frees it. NULL: no memory.
 */
struct cpumap *cpu_set__read(const void *data, size_t size);

#endif
