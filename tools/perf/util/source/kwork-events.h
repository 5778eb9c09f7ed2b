/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What CPUs do, summed up from recorded hits of tracepoints: what util/bpf_skel/kwork.bpf.c does in the kernel, for files. Both count the
 * same, by the same code (kwork-account.bpf.h).
 */
#ifndef PERF_SOURCE_KWORK_EVENTS_H
#define PERF_SOURCE_KWORK_EVENTS_H

#include "util/filter/filter.h"
#include "util/source/kwork-opts.h"

enum kwork_event_kind {
	KWORK_EVENT_OTHER,
	KWORK_EVENT_IRQ_BEGIN,
	KWORK_EVENT_IRQ_END,
	KWORK_EVENT_RAISE,
	KWORK_EVENT_SOFTIRQ_BEGIN,
	KWORK_EVENT_SOFTIRQ_END,
	KWORK_EVENT_QUEUE,
	KWORK_EVENT_ACTIVATE,
	KWORK_EVENT_WORK_BEGIN,
	KWORK_EVENT_WORK_END,
	KWORK_EVENT_SWITCH,
	KWORK_EVENT_WAKING,	/* sched:sched_waking, or sched:sched_wakeup of a file without it */
	KWORK_EVENT_WAKING_NEW, /* the first one of a task */
	KWORK_EVENT_IPI_BEGIN,	/* from here on: classes that perf kwork record does not record by itself */
	KWORK_EVENT_IPI_END,
	KWORK_EVENT_TASKLET_BEGIN,
	KWORK_EVENT_TASKLET_END,
	KWORK_EVENT_TIMER_BEGIN,
	KWORK_EVENT_TIMER_END,
	KWORK_EVENT_HRTIMER_BEGIN,
	KWORK_EVENT_HRTIMER_END,
	KWORK_EVENT_NR,
};

struct kwork_event { /* in the order of time */
	enum kwork_event_kind kind;
	u64 time;
	u32 cpu;
	u32 pid, tid;	  /* of the task at that time, which a switch takes the CPU from */
	const char *comm; /* copied, as are the other texts */
	u64 id;		  /* number of an interrupt, softirq or vector; address of a work, tasklet or timer; tid of who is woken or gets the CPU */
	u64 function;	  /* of a work, tasklet or timer that begins */
	const char *name; /* of an interrupt's handler that begins, or of who is woken or gets the CPU */
	u32 id_pid;	  /* pid of who is woken; 0: unknown */
	bool runnable;	  /* of a switch: the task that leaves would go on */
};

#define KWORK_MAX_CPUS 8192

struct kwork_events;

struct kwork_events_opts {
	const struct kwork_opts *kwork;	   /* its functions get the results, as from BPF programs */
	const struct filter_table *filter; /* see recorded_filter__check(); NULL: none */
	u32 kinds;			   /* bit n: the file has events of kind n */
	bool (*has_cpu)(void *data, u32 cpu); /* is it watched? NULL: all are */
	void *data;			   /* of has_cpu */
};

struct kwork_events *kwork_events__new(const struct kwork_events_opts *opts); /* what opts points to must outlive it. NULL: no memory */
/* 0, or -errno with a message in err. An event on a CPU that cannot be is counted, and ignored. */
int kwork_events__add(struct kwork_events *e, const struct kwork_event *event, struct errmsg *err);
/* After the last event. end: when watching ended, which began with the first event; nr_cpus: that were online, at least. */
int kwork_events__finish(struct kwork_events *e, u64 end, u32 nr_cpus, struct errmsg *err);
const struct kwork_totals *kwork_events__totals(const struct kwork_events *e);
u64 kwork_events__nr_malformed(const struct kwork_events *e);
void kwork_events__delete(struct kwork_events *e); /* NULL is fine */

#endif
