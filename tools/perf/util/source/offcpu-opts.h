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

/* "S,D,R" or "sleep,disk,preempted"; -EINVAL */
int offcpu_states__parse(const char *list, u32 *states, struct errmsg *err);

/* -EINVAL with a message: the filter uses terms that a sleeping task lacks. table is the lowered filter. */
int offcpu_filter__check(const struct filter *filter, const struct filter_table *table, struct errmsg *err);

/* -EINVAL: a sleeping task lacks this number; name is for the message. */
int offcpu_histogram__check(const struct histogram_number *number, const char *name, struct errmsg *err);

/* "S,D,R": fills and returns buf. */
const char *offcpu_states__text(u32 states, char *buf, size_t size);

#endif
