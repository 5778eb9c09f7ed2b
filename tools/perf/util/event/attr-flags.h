/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flags of struct perf_event_attr that are newer than the headers we build with, as bits of the word that contains all of them
 * (include/uapi/linux/perf_event.h of Linux 6.19).
 */
#ifndef PERF_EVENT_ATTR_FLAGS_H
#define PERF_EVENT_ATTR_FLAGS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include "util/lib/types.h"

#define ATTR_FLAG_DEFER_CALLCHAIN (1ULL << 38) /* the user part of callchains comes later, as CALLCHAIN_DEFERRED */
#define ATTR_FLAG_DEFER_OUTPUT (1ULL << 39)    /* write those records to this event's ring */

#define ATTR_FLAGS_OFFSET (offsetof(struct perf_event_attr, read_format) + sizeof(((struct perf_event_attr *)0)->read_format))

static inline u64 attr__flags(const struct perf_event_attr *attr)
{
	u64 flags;

	memcpy(&flags, (const char *)attr + ATTR_FLAGS_OFFSET, sizeof(flags));
	return flags;
}

static inline void attr__set_flags(struct perf_event_attr *attr, u64 flags)
{
	flags |= attr__flags(attr);
	memcpy((char *)attr + ATTR_FLAGS_OFFSET, &flags, sizeof(flags));
}

#endif
