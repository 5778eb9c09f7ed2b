/* SPDX-License-Identifier: GPL-2.0 */
/* Ids of control groups in the v2 hierarchy. */
#ifndef PERF_LIB_CGROUP_H
#define PERF_LIB_CGROUP_H

#include <stddef.h>
#include "util/lib/types.h"

/*
 * The id (as from bpf_get_current_cgroup_id()) of the cgroup at path: relative to the root of the v2 hierarchy, with or without a
 * leading '/', or absolute including the mount point. Returns 0 or -errno with the reason, one phrase, in why.
 */
int cgroup__id(const char *path, u64 *id, char *why, size_t size);

/* The level of the cgroup in the hierarchy (0: the root), by path or by id. Otherwise as cgroup__id(). */
int cgroup__level(const char *path, unsigned int *level, char *why, size_t size);
int cgroup__level_of_id(u64 id, unsigned int *level, char *why, size_t size);

#endif
