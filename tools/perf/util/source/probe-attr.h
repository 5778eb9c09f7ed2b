/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own event for a function: that of its PMUs uprobe and kprobe. It lasts as long as its descriptors. */
#ifndef PERF_SOURCE_PROBE_ATTR_H
#define PERF_SOURCE_PROBE_ATTR_H

#include <linux/perf_event.h>
#include "util/event/probe.h"

/* attr points to place's texts. index: of its offsets. -EOPNOTSUPP: this kernel has no such PMU; -ENOMEM */
int probe_attr__fill(struct perf_event_attr *attr, const struct probe_place *place, unsigned int index);

#endif
