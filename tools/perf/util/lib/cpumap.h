/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of CPU numbers in the kernel's list form "0-3,6" (Documentation/admin-guide/cputopology.rst). */
#ifndef PERF_LIB_CPUMAP_H
#define PERF_LIB_CPUMAP_H

#include <stdbool.h>
#include "util/lib/errmsg.h"

struct cpumap {
	int nr;
	int cpu[]; /* ascending, without repetition */
};

/* All return a heap object that the caller frees with free(), or NULL with errno set (and err filled). */
struct cpumap *cpumap__parse(const char *list, struct errmsg *err);
struct cpumap *cpumap__online(struct errmsg *err);
struct cpumap *cpumap__read(const char *path, struct errmsg *err); /* a sysfs list file */
bool cpumap__has(const struct cpumap *map, int cpu);
struct cpumap *cpumap__possible(struct errmsg *err);
int cpumap__possible_count(void); /* number of possible CPUs: the size of per-CPU BPF values; -errno */

#endif
