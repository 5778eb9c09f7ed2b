/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Off-CPU time as a source of samples: BPF programs on the scheduler's tracepoints (util/bpf_skel/offcpu.bpf.c), whose sleeps become
 * samples with the stack that the task slept in and the nanoseconds as period.
 */
#ifndef PERF_SAMPLER_OFFCPU_SOURCE_H
#define PERF_SAMPLER_OFFCPU_SOURCE_H

#include <stdbool.h>
#include "util/bpf_skel/offcpu.h"
#include "util/filter/filter.h"
#include "util/lib/types.h"
#include "util/sampler/sample-source.h"

struct offcpu_opts {
	u64 long_ns;	/* a sleep from here on is a sample of its own, at once; shorter ones are summed */
	u32 states;	/* enum offcpu_state */
	bool waker;	/* with the stack of who woke the task */
};
#define OFFCPU_OPTS_DEFAULT { .long_ns = 500000000, .states = OFFCPU_SLEEPING | OFFCPU_DISK }

/* What came of the sleeps; part of struct sampler_counts. */
struct offcpu_totals {
	u64 sent;	  /* sleeps that are samples of their own because they were long, */
	u64 spilled;	  /* because there was no room for another sum, */
	u64 asleep;	  /* or because they were not over at the end: the time so far */
	u64 summed;	  /* all others */
	u64 sums;	  /* samples that those made */
	u64 lost_ns;	  /* of sleeps that are lost because the ring was full */
	u64 lost_stacks;  /* sleeps without a stack */
	u64 stacks, stack_bytes; /* different ones, and the memory they take here */
	const char *note; /* what is not as it should be, in one line, or ""; the source's */
};

/* "S,D,R" or "sleep,disk,preempted"; -EINVAL */
int offcpu_states__parse(const char *list, u32 *states, struct errmsg *err);

/* -EINVAL, with its text: the filter asks for what a sleeping task does not have. table is what filter was lowered to. */
int offcpu_source__check_filter(const struct filter *filter, const struct filter_table *table, struct errmsg *err);

/* table, NULL for all sleeps, must outlive the source. */
int offcpu_source__new(const struct offcpu_opts *opts, const struct filter_table *table, struct sample_source **source,
		       struct errmsg *err);

#endif
