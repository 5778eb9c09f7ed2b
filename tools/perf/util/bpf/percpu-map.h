/* SPDX-License-Identifier: GPL-2.0 */
/* Maps that have a value for each CPU (BPF_MAP_TYPE_PERCPU_ARRAY), read as a whole. */
#ifndef PERF_BPF_PERCPU_MAP_H
#define PERF_BPF_PERCPU_MAP_H

#include <stddef.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

/*
 * The entry of a map that has a value of so many bytes, a multiple of 8, for each possible CPU. To be freed. NULL: errno is set, and err says
 * why, with what in "cannot read %s".
 */
void *percpu_map__read(int map_fd, u32 key, size_t size, int *nr_cpus, const char *what, struct errmsg *err);

#endif
