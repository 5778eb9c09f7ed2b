/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting by BPF programs (source/bpf-counters.h) instead of with events of the tasks: with counters that all perfs of the user
 * share, for any number of cgroups, and while a filter accepts the task.
 */
#ifndef PERF_COUNTER_BPF_COUNTING_H
#define PERF_COUNTER_BPF_COUNTING_H

#include <stdbool.h>
#include "util/counter/counters.h"
#include "util/event/evsel.h"
#include "util/lib/cpumap.h"
#include "util/lib/errmsg.h"

struct event_opener;
struct bpf_counting;

/* Order of calls: new, add for each event, load, then enable and read. cpus: those of the target; they outlive it. NULL: no memory. */
struct bpf_counting *bpf_counting__new(unsigned int nr_events, const struct counters_target *target, const struct cpumap *cpus);
void bpf_counting__delete(struct bpf_counting *c); /* NULL is fine */

/*
 * Open the counters of an event, whose attr is adapted; it counts by itself, not with its group. -errno as of event_opener__open(): the
 * event is left out then. -EINVAL also for a filter that cannot be judged while counting.
 */
int bpf_counting__add(struct bpf_counting *c, struct evsel *evsel, struct event_opener *opener, struct errmsg *err);
int bpf_counting__load(struct bpf_counting *c, struct errmsg *err);

int bpf_counting__enable(struct bpf_counting *c, bool on, struct errmsg *err); /* all events */
int bpf_counting__read(struct bpf_counting *c, struct errmsg *err);
/* As of the last read. */
struct counter_value bpf_counting__value(const struct bpf_counting *c, unsigned int event, int cpu);

u64 bpf_counting__untracked(const struct bpf_counting *c); /* tasks that could not be followed and so are missing */
u64 bpf_counting__missed(const struct bpf_counting *c); /* switches of tasks of the target that the kernel did not show */

#endif
