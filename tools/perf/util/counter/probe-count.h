/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts hits of an event on a function (event/probe.h) by a BPF program, which judges its filter, too, and follows the target by itself:
 * the kernel's own event would not be inherited.
 */
#ifndef PERF_COUNTER_PROBE_COUNT_H
#define PERF_COUNTER_PROBE_COUNT_H

#include "util/counter/counters.h"

struct probe_count;

/*
 * With target->on_exec it counts from the exec on, otherwise from probe_count__enable() on. -EINVAL: it cannot be counted so. After an
 * error there is nothing to delete.
 */
int probe_count__new(const struct evsel *evsel, const struct counters_target *target, struct probe_count **count, struct errmsg *err);
int probe_count__check_filter(const struct evsel *evsel, struct errmsg *err); /* -EINVAL: it is wrong */
void probe_count__delete(struct probe_count *c); /* NULL is allowed */
/* Of several: attach all before one is enabled, and stop all before one is disabled, as both take long. */
int probe_count__attach(struct probe_count *c, struct errmsg *err);
void probe_count__stop(struct probe_count *c);
int probe_count__enable(struct probe_count *c, bool on, struct errmsg *err);
int probe_count__read(struct probe_count *c, struct errmsg *err);
/* As of the last read. cpu -1: on all */
struct counter_value probe_count__value(const struct probe_count *c, int cpu);
u64 probe_count__untracked(const struct probe_count *c); /* tasks that could not be followed */
u64 probe_count__missed(const struct probe_count *c);	 /* hits without a program, as one was running on that CPU */

#endif
