/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts for tasks with counters of CPUs, which BPF programs read when tasks are switched (util/bpf_skel/counters.bpf.c). The caller
 * opens and enables the counters, and may share them with others: nothing here resets or switches them. Order of calls: new, load, set
 * for each counter; then begin and end as needed, and sync and row at any time.
 */
#ifndef PERF_SOURCE_BPF_COUNTERS_H
#define PERF_SOURCE_BPF_COUNTERS_H

#include <stdbool.h>
#include "util/bpf_skel/counters.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/target.h"

struct perf_event_attr;

struct bpf_counters_opts {
	u32 nr_events; /* at most COUNTERS_MAX_EVENTS */
	const struct perf_event_attr *attrs; /* of each; the same on all CPUs */
	const struct sampler_target *target;
	bool waits_for_exec;		  /* count the tasks of the target from their exec on */
	const struct filter_table *table; /* lowered; count while it accepts the task; NULL: always */
	const u64 *cgroups;		  /* ids of different ones: a row for each. What a cgroup below another one counts is in its own row only */
	u32 nr_cgroups;			  /* 0: one row */
};

struct bpf_counters;

/* Must bpf_counters__set() be called for this event? Programs count time, and switches between tasks, by themselves. */
bool bpf_counters__needs_counter(const struct perf_event_attr *attr);

/* 0, or -errno with a message. opts: valid until after the load. */
int bpf_counters__new(struct bpf_counters **counters, const struct bpf_counters_opts *opts, struct errmsg *err);
void bpf_counters__delete(struct bpf_counters *c); /* NULL is fine */

int bpf_counters__load(struct bpf_counters *c, struct errmsg *err);
/* After the load, for an event that needs it: the counter of an event on a CPU, a perf event for all tasks. The map holds it; the caller may close fd. */
int bpf_counters__set(struct bpf_counters *c, u32 event, int cpu, int fd, struct errmsg *err);

/* A span of counting. What tasks do outside of spans is not counted. */
int bpf_counters__begin(struct bpf_counters *c, struct errmsg *err);
int bpf_counters__end(struct bpf_counters *c, struct errmsg *err);

/* Bring all rows up to date; the tasks that run are counted up to now. */
int bpf_counters__sync(struct bpf_counters *c, struct errmsg *err);
/* What is in a row, by the number of the CPU, up to the highest possible one. The caller frees it; NULL: errno is set and err has the reason. */
struct counters_row *bpf_counters__row(struct bpf_counters *c, u32 row, struct errmsg *err);
struct bpf_counters_value {
	u64 count;
	u64 enabled, running; /* ns */
};
struct bpf_counters_value bpf_counters__value(const struct bpf_counters *c, const struct counters_row *row, u32 event);

u64 bpf_counters__untracked(const struct bpf_counters *c); /* tasks that could not be followed and so are missing */
u64 bpf_counters__missed(const struct bpf_counters *c); /* switches that the kernel did not show, perhaps of tasks of the target */

#endif
