/* SPDX-License-Identifier: GPL-2.0 */
/* What can be asked of off-CPU time: which sleeps, and what is done with them. */
#ifndef PERF_SOURCE_OFFCPU_OPTS_H
#define PERF_SOURCE_OFFCPU_OPTS_H

#include <stdbool.h>
#include "util/bpf_skel/histogram.h"
#include "util/bpf_skel/offcpu.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct offcpu_opts {
	u64 long_ns;	/* a sleep from here on is a sample of its own, at once; shorter ones are summed */
	u32 states;	/* enum offcpu_state */
	bool waker;	/* with the stack of who woke the task */
};
#define OFFCPU_OPTS_DEFAULT { .long_ns = 500000000, .states = OFFCPU_SLEEPING | OFFCPU_DISK }

/* "S,D,R" or "sleep,disk,preempted"; -EINVAL */
int offcpu_states__parse(const char *list, u32 *states, struct errmsg *err);

/* -EINVAL, with its text: the filter asks for what a sleeping task does not have. table is what filter was lowered to. */
int offcpu_filter__check(const struct filter *filter, const struct filter_table *table, struct errmsg *err);

/* -EINVAL: a sleeping task does not have this number, which is called name. */
int offcpu_histogram__check(const struct histogram_number *number, const char *name, struct errmsg *err);

/* "S,D": buf is filled; returns buf. */
const char *offcpu_states__text(u32 states, char *buf, size_t size);

#endif
