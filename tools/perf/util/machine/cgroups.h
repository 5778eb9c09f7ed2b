/* SPDX-License-Identifier: GPL-2.0 */
/* The paths of control groups by id, from CGROUP records. */
#ifndef PERF_MACHINE_CGROUPS_H
#define PERF_MACHINE_CGROUPS_H

#include "util/lib/types.h"

struct cgroups { /* starts zeroed */
	struct cgroup_path *by_id;
};

void cgroups__exit(struct cgroups *cgroups);
/* 0 or -ENOMEM; a known id keeps its first path, which others may hold. */
int cgroups__add(struct cgroups *cgroups, u64 id, const char *path);
const char *cgroups__find(const struct cgroups *cgroups, u64 id); /* NULL: unknown */

#endif
