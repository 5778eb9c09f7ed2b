/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long tasks wait for CPUs, summed up from recorded hits of tracepoints: what util/bpf_skel/sched.bpf.c does in the kernel, for files. Both
 * count the same, by the same code (sched-account.bpf.h).
 */
#ifndef PERF_SOURCE_SCHED_EVENTS_H
#define PERF_SOURCE_SCHED_EVENTS_H

#include "util/filter/filter.h"
#include "util/source/sched-opts.h"

struct sched_task {
	const void *key; /* tells tasks with the same tid apart */
	u32 tid, pid;	 /* pid 0: unknown */
	const char *comm; /* copied */
};

struct sched_switch { /* in the order of time, as the calls for other events */
	u64 time;
	u32 cpu;
	struct sched_task prev, next;
	bool runnable;	  /* prev would go on */
	bool counted;	  /* this CPU and time are wanted; otherwise only the states of tasks change */
	const void *place; /* where prev leaves the CPU; passed on with its longest wait */
};

struct sched_events;

struct sched_events_opts {
	const struct sched_opts *sched;	   /* linear only */
	const struct filter_table *filter; /* see recorded_filter__check(); NULL: none */
	bool has_runtimes; /* sched_events__run() tells how long tasks run, not their switches */
	/* At the end, for each task. 0, or -errno with a message in err */
	int (*row)(void *data, const struct sched_row *row, const void *key, const void *place, struct errmsg *err);
	void *data;
};

struct sched_events *sched_events__new(const struct sched_events_opts *opts); /* what opts points to must outlive it. NULL: no memory */
/* These return 0 or -ENOMEM. */
int sched_events__wake(struct sched_events *e, const struct sched_task *task, u64 time);
int sched_events__switch(struct sched_events *e, const struct sched_switch *sw);
int sched_events__run(struct sched_events *e, const struct sched_task *task, u64 ns, bool counted);
/* After the last event. 0 or what row returned */
int sched_events__finish(struct sched_events *e, u64 now, struct errmsg *err);
const struct sched_totals *sched_events__totals(const struct sched_events *e);
void sched_events__delete(struct sched_events *e); /* NULL is fine */

#endif
