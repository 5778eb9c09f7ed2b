/* SPDX-License-Identifier: GPL-2.0 */
/* Reads all values of per-CPU maps (BPF_MAP_TYPE_PERCPU_ARRAY). */
#ifndef PERF_BPF_PERCPU_MAP_H
#define PERF_BPF_PERCPU_MAP_H

#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

/*
 * Read an entry of a map that has size bytes, a multiple of 8, for each possible CPU. The caller frees the result. NULL: errno is
 * set, and err has the reason, with what in "cannot read %s".
 */
void *percpu_map__read(int map_fd, u32 key, size_t size, int *nr_cpus, const char *what, struct errmsg *err);

#endif
