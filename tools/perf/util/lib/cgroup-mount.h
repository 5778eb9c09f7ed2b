/* SPDX-License-Identifier: GPL-2.0 */
/* Where control groups are found. */
#ifndef PERF_LIB_CGROUP_MOUNT_H
#define PERF_LIB_CGROUP_MOUNT_H

#include <stddef.h>
#include "util/lib/types.h"

/*
 * Where a cgroup file system of this mount namespace is mounted: the v1 hierarchy of a controller, or with controller NULL
 * the v2 hierarchy; the first one if there are more. 0, -ENOENT if there is none, or another -errno.
 */
int cgroup__mount(const char *controller, char *dir, size_t size);

/*
 * The path below the v2 mount, "/" for its root, of the cgroup with this id. -ENOENT or -ESTALE: there is none (any more); -EPERM
 * without CAP_DAC_READ_SEARCH.
 */
int cgroup__path(u64 id, char *path, size_t size);

#endif
