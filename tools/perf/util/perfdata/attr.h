/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_event_attr as files hold it: in the size that the writer's kernel headers knew. attr.size must name the size that is
 * stored, since readers find by it what follows.
 */
#ifndef PERF_PERFDATA_ATTR_H
#define PERF_PERFDATA_ATTR_H

#include <stdbool.h>
#include "util/perfdata/record.h"

/* The smallest of 112, 120, 128 and sizeof(attr) that keeps every non-zero member of all events: old readers refuse more. */
size_t perfdata_attr__file_size(const struct perfdata_event *events, u32 nr);

/* A copy of attr for the file: attr.size says size. */
struct perf_event_attr perfdata_attr__for_file(const struct perf_event_attr *attr, size_t size);

/*
 * Take an attr from stored bytes at src; room is what the file sets aside for it. -EINVAL if attr.size is below 64 or above
 * room. *newer is set (else left alone) if members that this program does not know are in use; they are left out.
 */
int perfdata_attr__from_file(struct perf_event_attr *attr, const void *src, size_t room, bool *newer);

#endif
