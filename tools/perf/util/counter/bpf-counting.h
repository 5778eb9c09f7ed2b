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

/* Can counts be judged by the event's filter? -EINVAL with err: they cannot, or it is wrong. */
int bpf_counting__check_filter(const struct evsel *evsel, struct errmsg *err);

/* Order of calls: new, add and open for each event, load, then enable and read. cpus: those of the target; they outlive it. NULL: no memory. */
struct bpf_counting *bpf_counting__new(unsigned int nr_events, const struct counters_target *target, const struct cpumap *cpus);
void bpf_counting__delete(struct bpf_counting *c); /* NULL is fine */

/* Choose the programs for an event: by its filter and cgroup, which are wrong if this fails. -errno with err. */
int bpf_counting__add(struct bpf_counting *c, const struct evsel *evsel, struct errmsg *err);
/*
 * Open the counters of an event that was added; its attr is adapted, and it counts by itself, not with its group. -errno as of
 * event_opener__open(): the event is left out then.
 */
int bpf_counting__open(struct bpf_counting *c, struct evsel *evsel, struct event_opener *opener, struct errmsg *err);
int bpf_counting__load(struct bpf_counting *c, struct errmsg *err);

int bpf_counting__reopen_cpu(struct bpf_counting *c, int cpu, struct errmsg *err); /* as counters__reopen_cpu() */
int bpf_counting__enable(struct bpf_counting *c, bool on, struct errmsg *err); /* all events */
int bpf_counting__read(struct bpf_counting *c, struct errmsg *err);
/* As of the last read. */
struct counter_value bpf_counting__value(const struct bpf_counting *c, unsigned int event, int cpu);

u64 bpf_counting__untracked(const struct bpf_counting *c); /* tasks that could not be followed and so are missing */
u64 bpf_counting__missed(const struct bpf_counting *c); /* switches of tasks of the target that the kernel did not show */

#endif
