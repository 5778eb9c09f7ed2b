/* SPDX-License-Identifier: GPL-2.0 */
/* One perf_event_open(2), with what is done when the kernel refuses it and the explanation when nothing helps. */
#ifndef PERF_SAMPLER_OPEN_EVENT_H
#define PERF_SAMPLER_OPEN_EVENT_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/bpf/kernel-features.h"
#include "util/event/evsel.h"
#include "util/lib/errmsg.h"
#include "util/sampler/sampler.h"

struct event_opener { /* found out with earlier events; starts zeroed but for opts and tries */
	const struct sampler_opts *opts;
	struct kernel_features kernel;
	unsigned int tries; /* how often a descriptor may still be opened anew, as a task has inherited it too early */
};

struct event_place {
	pid_t pid;	/* a thread; the directory of evsel->cgroup if there is one; -1: all tasks */
	int cpu;	/* -1: wherever the thread runs */
	int group_fd;	/* the leader there; -1: none */
	bool group_moves; /* the thread starts others meanwhile, and the leader may go to one of them */
	u64 mark;	/* see event_filter__mark(): not for evsel->attr, which the file gets */
};

/*
 * A descriptor (close-on-exec) or -errno. may_change: no descriptor of evsel is open yet, so its attr may still be changed to
 * what this kernel, machine and user can have. -ESRCH: the thread has ended. -ECHILD: the group's leader has gone to another task, so that
 * all of the group is to be opened anew. For these two err is not filled.
 */
int event_opener__open(struct event_opener *o, struct evsel *evsel, const struct event_place *at, bool may_change,
		       struct errmsg *err);

#endif
