/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the mounts of control groups. */
#ifndef PERF_LIB_CGROUP_MOUNT_H
#define PERF_LIB_CGROUP_MOUNT_H

#include <stddef.h>
#include "util/lib/types.h"

/*
 * The mount point of a cgroup file system in this mount namespace: the v1 hierarchy of a controller, or with controller NULL the v2
 * hierarchy; the first one if there are several. 0, -ENOENT if there is none, or another -errno.
 */
int cgroup__mount(const char *controller, char *dir, size_t size);

/*
 * The path of the cgroup with this id below the v2 mount, "/" for its root. -ENOENT or -ESTALE: there is none (any more); -EPERM
 * without CAP_DAC_READ_SEARCH.
 */
int cgroup__path(u64 id, char *path, size_t size);

#endif
