/* SPDX-License-Identifier: GPL-2.0 */
/* One perf_event_open(2), with fallbacks when the kernel refuses it, and an explanation when they fail. */
#ifndef PERF_SAMPLER_OPEN_EVENT_H
#define PERF_SAMPLER_OPEN_EVENT_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/bpf/kernel-features.h"
#include "util/event/evsel.h"
#include "util/lib/errmsg.h"
#include "util/sampler/sampler.h"

struct event_opener { /* findings of earlier events; starts zeroed except for opts and tries */
	const struct sampler_opts *opts;
	struct kernel_features kernel;
	bool counts; /* the events count, so that no other event will do */
	unsigned int tries; /* how often a descriptor may be reopened because a task has inherited it too early */
};

/* Raise the limit of open files as far as it goes: a descriptor for each event, CPU and thread soon exceeds the usual 1024. */
void event_opener__raise_limit(void);

struct event_place {
	pid_t pid;	/* a thread; for evsel->cgroup its directory; -1: all tasks */
	int cpu;	/* -1: any CPU */
	int group_fd;	/* the leader for this pid and cpu; -1: none */
	bool group_moves; /* the thread starts tasks in the meantime, and the leader may move to one of them */
	u64 mark;	/* see event_filter__mark(); not stored in evsel->attr, which goes into the file */
};

/* If this machine has no hardware counters, turn cycles into cpu-clock now, and note it, as opening the event would. */
void event_opener__settle_clock(struct event_opener *o, struct evsel *evsel);

/*
 * Returns a descriptor (close-on-exec) or -errno. may_change: no descriptor of evsel is open yet, so its attr may still be adapted
 * to this kernel, machine and user. -ESRCH: the thread has ended. -ECHILD: the group's leader has moved to another task, so the
 * whole group must be reopened. These two do not set err.
 */
int event_opener__open(struct event_opener *o, struct evsel *evsel, const struct event_place *at, bool may_change,
		       struct errmsg *err);

#endif
