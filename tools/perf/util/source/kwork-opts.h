/* SPDX-License-Identifier: GPL-2.0 */
/* Options of summing up what CPUs do, who gets the rows, and what is missing in them. */
#ifndef PERF_SOURCE_KWORK_OPTS_H
#define PERF_SOURCE_KWORK_OPTS_H

#include <stdbool.h>
#include "util/bpf_skel/kwork.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

/* Of one CPU. The times of all interrupts, softirqs and tasks add up to elapsed. */
struct kwork_cpu_times {
	u32 cpu;
	u64 elapsed, idle, irq, softirq; /* ns */
};

struct kwork_opts {
	u32 classes;  /* bit n: class n has rows */
	bool runs, waits; /* which times rows have */
	bool each;    /* record gets each run, and rows have no times of runs */
	u32 max_rows; /* room in the kernel: for rows, and for works that wait */
	/*
	 * row: at the end of the run, keys may come again: their times are parts. cpu: then, for each CPU that was watched. record: in the order in
	 * which runs end. They return 0, or -errno with a message in err, which ends the run.
	 */
	int (*row)(void *data, const struct kwork_key *key, const struct kwork_row *row, struct errmsg *err);
	int (*cpu)(void *data, const struct kwork_cpu_times *times, struct errmsg *err);
	int (*record)(void *data, const struct kwork_record *record, struct errmsg *err);
	void *data;
};

struct kwork_totals {
	u64 kept, dropped; /* runs and waits, by the filter */
	u64 lost_rows, lost_waits, lost_works, lost_records; /* see struct kwork_counts */
	u64 early;	   /* works that were queued before perf watched */
	u64 unended;	   /* runs whose end was not seen */
	u64 open;	   /* runs that went on at the end; they are counted with their time so far */
	u64 waiting;	   /* tasks that waited at the end; they are counted with their time so far */
	u64 missed;	   /* hits for which the kernel skipped a program */
	u64 elapsed;	   /* ns */
};

#endif
