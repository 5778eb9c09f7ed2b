/* SPDX-License-Identifier: GPL-2.0 */
/* Options of summing up how long tasks wait for CPUs, who gets the rows, and what is missing in them. */
#ifndef PERF_SOURCE_SCHED_OPTS_H
#define PERF_SOURCE_SCHED_OPTS_H

#include <stdbool.h>
#include "util/bpf_skel/sched.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct sched_opts {
	bool linear;	  /* buckets of 100 us, not of powers of two */
	bool stacks;	  /* take the stacks of the greatest waits */
	u32 max_rows;	  /* room in the kernel */
	/* At the end of the run, for each task. stack NULL: unknown. 0, or -errno with a message in err, which ends the run. */
	int (*row)(void *data, const struct sched_row *row, const struct sched_stack *stack, struct errmsg *err);
	void *data;
};

struct sched_totals {
	u64 kept, dropped; /* waits, by the filter */
	u64 bucket[SCHED_NR_BUCKETS]; /* of kept */
	u64 lost_rows, unwoken, unseen, lost_stacks; /* see struct sched_counts */
	u64 missed;	   /* hits for which the kernel skipped a program */
	u64 switches;
	u64 idle, busy, unknown; /* ns of all CPUs that are watched. unknown: no switch tells */
	u64 elapsed;	   /* ns */
	u64 greatest;	   /* ns of the longest wait in a row */
	u64 waiting;	   /* tasks that waited for a CPU at the end; these waits are in no row */
	u64 longest;	   /* ns so far of the longest of them, of the task ... */
	u32 longest_tid;
	char longest_comm[SCHED_COMM_LEN];
};

/* At the end, for each task */
void sched_totals__add_row(struct sched_totals *t, const struct sched_row *row, u64 now);

#endif
