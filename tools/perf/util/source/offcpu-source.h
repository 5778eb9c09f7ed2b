/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Off-CPU time as a source of samples: BPF programs on the scheduler's tracepoints (util/bpf_skel/offcpu.bpf.c), whose sleeps become
 * samples with the stack that the task slept in and the nanoseconds as period.
 */
#ifndef PERF_SOURCE_OFFCPU_SOURCE_H
#define PERF_SOURCE_OFFCPU_SOURCE_H

#include "util/filter/filter.h"
#include "util/lib/types.h"
#include "util/source/tally.h"
#include "util/source/offcpu-opts.h"
#include "util/source/sample-source.h"

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

/*
 * table, NULL for all sleeps, must outlive the source. count not NULL: no sleep is a sample, however long it is; all are summed, and
 * fetched by ops->collect.
 */
int offcpu_source__new(const struct offcpu_opts *opts, const struct filter_table *table, const struct tally_opts *count,
		       struct sample_source **source, struct errmsg *err);

#endif
