/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events that root has made: uprobe_events and kprobe_events of tracefs. While a store is open for writing, no other perf of this kind changes them:
 * its files are locked.
 */
#ifndef PERF_PROBE_STORE_H
#define PERF_PROBE_STORE_H

#include "util/probe/event.h"

struct probe_store;

/* -EACCES, -EROFS, -ENOENT: no tracefs. Without one of the two files the store is without its events. */
int probe_store__open(struct probe_store **store, bool for_writing, struct errmsg *err);
void probe_store__close(struct probe_store *store);

/* All events: of the kernel first, sorted by their lines. */
const struct probe_events *probe_store__events(const struct probe_store *store);
/* Is there any event of that name, also of another origin? */
bool probe_store__has(const struct probe_store *store, const char *group, const char *event);
/*
 * Add all events, which are of one kind, or none of them. They go to the kernel in one write, which no signal interrupts. -errno; err says
 * which one the kernel has refused. opened: their file as it was read, see probe_target; NULL: of the kernel. -ESTALE: another one has its
 * path now, and so none is left.
 */
int probe_store__add(struct probe_store *store, const struct probe_events *events, const char *opened, struct errmsg *err);
int probe_store__remove(struct probe_store *store, const struct probe_event *event, struct errmsg *err);

#endif
