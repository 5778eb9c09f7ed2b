/* SPDX-License-Identifier: GPL-2.0 */
/* Ids of control groups in the v2 hierarchy. Private to util/filter. */
#ifndef PERF_FILTER_CGROUP_H
#define PERF_FILTER_CGROUP_H

#include <stddef.h>
#include "util/lib/types.h"

/*
 * The id (as bpf_get_current_cgroup_id() gives it) of the cgroup at path: relative to the root of the v2 hierarchy,
 * with or without a leading '/', or absolute with its mount point in front. Returns 0 or -errno with the cause, one
 * phrase, in why.
 */
int cgroup__id(const char *path, u64 *id, char *why, size_t size);

/* How deep the cgroup is in the hierarchy, whose root has level 0; that of a path, or of an id. As cgroup__id() otherwise. */
int cgroup__level(const char *path, unsigned int *level, char *why, size_t size);
int cgroup__level_of_id(u64 id, unsigned int *level, char *why, size_t size);

#endif
