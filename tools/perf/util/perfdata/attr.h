/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_event_attr in files: stored in the size that the writer's kernel headers knew. attr.size must be the stored size, since
 * readers use it to find what follows.
 */
#ifndef PERF_PERFDATA_ATTR_H
#define PERF_PERFDATA_ATTR_H

#include <stdbool.h>
#include "util/perfdata/record.h"

/* The smallest of 112, 120, 128 and sizeof(attr) that keeps every non-zero member of all events: old readers refuse larger ones. */
size_t perfdata_attr__file_size(const struct perfdata_event *events, u32 nr);

/* A copy of attr for the file, with attr.size = size. */
struct perf_event_attr perfdata_attr__for_file(const struct perf_event_attr *attr, size_t size);

/*
 * Read an attr from src; room is the space for it in the file. -EINVAL if attr.size is below 64 or above room. *newer is set
 * (otherwise unchanged) if it uses members that this program does not know; they are left out.
 */
int perfdata_attr__from_file(struct perf_event_attr *attr, const void *src, size_t room, bool *newer);

#endif
