/* SPDX-License-Identifier: GPL-2.0 */
/* Options of off-CPU time: which sleeps to record, and how. */
#ifndef PERF_SOURCE_OFFCPU_OPTS_H
#define PERF_SOURCE_OFFCPU_OPTS_H

#include <stdbool.h>
#include "util/bpf_skel/histogram.h"
#include "util/bpf_skel/offcpu.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct offcpu_opts {
	u64 long_ns;	/* write a sample at once for each sleep of at least this long; sum up shorter ones */
	u32 states;	/* bits of enum offcpu_state */
	bool waker;	/* include the stack of the task that wakes it */
	u32 clock_hz;	/* wall-clock time: samples a second of a running thread */
};
#define OFFCPU_OPTS_DEFAULT { .long_ns = 500000000, .states = OFFCPU_SLEEPING | OFFCPU_DISK, .clock_hz = 999 }
#define WALL_LONG_NS 10000000 /* the default of long_ns for wall-clock time */

/* What happened to sleeps, for an event of off-CPU time. */
struct offcpu_totals {
	bool wall;	  /* spans of wall-clock time, not sleeps */
	u64 sent;	  /* sleeps with a sample of their own because they were long, */
	u64 spilled;	  /* because the map of sums was full, */
	u64 asleep;	  /* or because they had not ended: the time so far */
	u64 summed;	  /* all others, which were summed */
	u64 sums;	  /* samples of those sums */
	u64 lost_ns;	  /* ns of sleeps that were lost because the ring was full */
	u64 lost_stacks;  /* sleeps without a stack */
	u64 unread;	  /* threads that slept from the start, whose stacks in user space could not be read */
	u64 stacks, stack_bytes; /* distinct stacks, and the memory they take in perf */
	const char *note; /* a warning in one line, or ""; owned by the source */
};

/* "S,D,R" or "sleep,disk,preempted"; -EINVAL */
int offcpu_states__parse(const char *list, u32 *states, struct errmsg *err);

/* -EINVAL with a message: the filter uses terms that a sleeping task lacks. table is the lowered filter. */
int offcpu_filter__check(const struct filter *filter, const struct filter_table *table, struct errmsg *err);

/* -EINVAL: a sleeping task lacks this number; name is for the message. */
int offcpu_histogram__check(const struct histogram_number *number, const char *name, struct errmsg *err);

/* "S,D,R": fills and returns buf. */
const char *offcpu_states__text(u32 states, char *buf, size_t size);

#endif
