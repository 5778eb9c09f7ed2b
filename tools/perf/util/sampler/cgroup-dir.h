/* SPDX-License-Identifier: GPL-2.0 */
/* A cgroup as perf_event_open(2) takes it, with PERF_FLAG_PID_CGROUP: the descriptor of its directory. */
#ifndef PERF_SAMPLER_CGROUP_DIR_H
#define PERF_SAMPLER_CGROUP_DIR_H

#include "util/lib/errmsg.h"

/*
 * Open the cgroup at path below the mount of the hierarchy that perf events use: the v1 hierarchy of perf_event, or if there is none
 * the v2 hierarchy. Returns a descriptor, or -errno with err.
 */
int cgroup_dir__open(const char *path, struct errmsg *err);

#endif
