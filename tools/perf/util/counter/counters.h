/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that count: opened on CPUs or threads, switched on and off, read. Order of calls: new, open, enable (the exec of a command
 * enables its events itself), read ..., delete.
 *
 * A place is a CPU, a thread, or a thread on a CPU: each event has a descriptor in each, and a count by place.
 */
#ifndef PERF_COUNTER_COUNTERS_H
#define PERF_COUNTER_COUNTERS_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "util/event/evsel.h"
#include "util/lib/cpumap.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct counters;

struct counters_target { /* not owned; used while opening only */
	bool system_wide;		/* all tasks on cpus; otherwise tids, on cpus only if there are any */
	const pid_t *tids;
	int nr_tids;
	const struct cpumap *cpus;	/* NULL: all */
	bool inherit;			/* count children and threads that start later, too */
	bool on_exec;			/* tids is one task, whose exec enables the events */
	bool whole_processes;		/* tids are those of processes, with all their threads */
	bool in_bpf;			/* count by BPF programs: bpf-counting.h. Places are CPUs then, and events have no groups */
};

struct counter_place {
	pid_t tid;	/* -1: all tasks */
	int cpu;	/* -1: any CPU */
	const char *comm; /* of tid; NULL: its name in /proc */
};

struct counter_value {
	u64 value;
	u64 enabled, running; /* ns; as long as the place's task or cgroup is not on a CPU, neither advances */
};

enum counter_span { COUNTER_TOTAL, COUNTER_DELTA }; /* from the opening on, or between the last two reads */

/* Does the kernel judge the event's filter by itself, at each hit? Others need counting in BPF. */
bool counters__filters_in_kernel(const struct evsel *evsel);

/* Works on evlist, which must outlive it, and adapts its attrs to counting. NULL: no memory. */
struct counters *counters__new(struct evlist *evlist);
void counters__delete(struct counters *c); /* NULL is allowed */

/*
 * Events that this machine or kernel does not have stay closed: see counters__is_supported(). note (may be NULL) gets a line if an event
 * is opened with other attributes than requested. Threads that have ended are skipped. -errno with err.
 */
int counters__open(struct counters *c, const struct counters_target *target, void (*note)(void *data, const char *text), void *data,
		   struct errmsg *err);
bool counters__is_supported(const struct counters *c, unsigned int event);
/* Why an event is not supported, in the words of the opener; valid as long as c. NULL: it is. */
const char *counters__why_not(const struct counters *c, unsigned int event);

/*
 * Instead of opening: counts that come from elsewhere, as from a file, round by round. places are copied, names are not. An event without
 * counts is not supported.
 */
int counters__set_recorded(struct counters *c, const struct counter_place *places, unsigned int nr, struct errmsg *err);
int counters__record(struct counters *c, unsigned int event, unsigned int place, const struct counter_value *value); /* -ENOMEM */
void counters__end_round(struct counters *c);

/* All events; one event. -errno with err. */
int counters__enable(struct counters *c, bool on, struct errmsg *err);
int counters__enable_event(struct counters *c, unsigned int event, bool on, struct errmsg *err);

/*
 * A CPU was offline and is back: the kernel has closed its events. Open them again; counts go on from where they were. 1: done, 0: no event is bound
 * to that CPU alone, or -errno with err.
 */
int counters__reopen_cpu(struct counters *c, int cpu, struct errmsg *err);

int counters__read(struct counters *c, struct errmsg *err);
/* With on_exec: the command begins now; it has ended, and has used this, which must outlive c. */
void counters__exec(struct counters *c);
void counters__set_usage(struct counters *c, const struct rusage *usage);
/* What counts in BPF lack: tasks that could not be followed; switches of tasks that the kernel did not show. */
u64 counters__untracked(const struct counters *c);
u64 counters__missed(const struct counters *c);
u64 counters__missed_hits(const struct counters *c); /* of functions, as a program was already running on that CPU */
/* false: the event has no count at this place; it is not open there. */
bool counters__value(const struct counters *c, unsigned int event, unsigned int place, enum counter_span span, struct counter_value *value);
/* Was the event enabled at any time of the span? */
bool counters__was_on(const struct counters *c, unsigned int event, enum counter_span span);

const struct counter_place *counters__places(const struct counters *c, unsigned int *nr);

#endif
