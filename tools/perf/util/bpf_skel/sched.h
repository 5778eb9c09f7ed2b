/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * How long tasks wait for a CPU, and how long they run: what BPF programs share with user space. Plain data only; BPF programs include
 * vmlinux.h first.
 *
 * A task waits from its waking, or from the moment another one takes its CPU, until it gets a CPU.
 */
#ifndef PERF_BPF_SCHED_H
#define PERF_BPF_SCHED_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "filter.h"

#define SCHED_MAX_FRAMES 32
#define SCHED_COMM_LEN 16
#define SCHED_NR_BUCKETS 22
#define SCHED_NOBODY (~0U)

enum sched_state {
	SCHED_UNKNOWN, /* not seen yet */
	SCHED_SLEEPS,
	SCHED_WAITS,
	SCHED_RUNS,
	SCHED_ENDED,
};

struct sched_waits {
	__u64 count, total, greatest; /* ns */
	__u64 begin, end;	      /* of the greatest; CLOCK_MONOTONIC */
};

/* Of one task. Key: its tid */
struct sched_row {
	struct sched_waits wait;
	__u64 runtime;	 /* ns, by the scheduler's own clock: without the time of interrupts, where the kernel tells it apart */
	__u64 since;	 /* when its state began */
	__u64 exec_mark; /* the part of the task's own runtime that is counted, or was before it was watched */
	__u32 pid, tid;
	__u8 state;	 /* enum sched_state */
	__u8 kept;	 /* the filter accepted its wait, so its turn counts */
	__u8 pad[2];
	__u32 by_tid;	 /* who left the CPU at the end of the greatest wait; 0: the CPU was idle, SCHED_NOBODY: unknown */
	char comm[SCHED_COMM_LEN], by_comm[SCHED_COMM_LEN];
};

/* In the kernel, when the greatest wait ended: where the task slept, or lost its CPU. Key: its tid */
struct sched_stack {
	__u64 nr;
	__u64 frame[SCHED_MAX_FRAMES];
};

struct sched_config {
	__u8 filtered;	 /* use the filter's table */
	__u8 linear;	 /* buckets of 100 us, not of powers of two */
	__u8 pad;
	__u32 stack_size; /* bytes of the stacks of greatest waits; 0: take none */
};

/* One of these per CPU. */
struct sched_counts {
	__u64 last;	   /* switch; 0: there was none */
	__u64 idle_ns, task_ns; /* up to the last switch */
	__u64 switches;
	__u64 is_idle;	   /* since the last switch */
	__u64 kept, dropped; /* waits, by the filter */
	__u64 lost_rows;   /* wakings and switches of tasks that are in no row: the map was full */
	__u64 unwoken;	   /* times that a task got a CPU although its waking was not seen */
	__u64 unseen;	   /* waits whose end no switch showed: the runtime after them tells it */
	__u64 lost_stacks; /* greatest waits whose stack is unknown */
	__u64 bucket[32]; /* waits by length: SCHED_NR_BUCKETS, and up to a power of two */
	__u64 every[FILTER_MAX_EVERYS]; /* state for FILTER_TERM_EVERY */
};

#endif
