/* SPDX-License-Identifier: GPL-2.0 */
/* Where control groups are found. */
#ifndef PERF_LIB_CGROUP_MOUNT_H
#define PERF_LIB_CGROUP_MOUNT_H

#include <stddef.h>

/*
 * Where a cgroup file system of this mount namespace is mounted: the v1 hierarchy of a controller, or with controller NULL
 * the v2 hierarchy; the first one if there are more. 0, -ENOENT if there is none, or another -errno.
 */
int cgroup__mount(const char *controller, char *dir, size_t size);

#endif
