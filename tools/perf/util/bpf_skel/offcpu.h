/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Off-CPU time: the data that BPF programs send to user space. Plain data only; BPF programs include vmlinux.h first.
 *
 * Stacks and sleeps go through the ring. A stack is sent when it is seen for the first time, and again if the programs could not
 * store that it was sent; sleeps refer to it by its hash, always after it in the ring. Short sleeps are summed in a map.
 */
#ifndef PERF_BPF_OFFCPU_H
#define PERF_BPF_OFFCPU_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "filter.h"

#define OFFCPU_MAX_FRAMES 127 /* of each part of a stack: the default of kernel.perf_event_max_stack */

enum offcpu_type {
	OFFCPU_STACK = 1,
	OFFCPU_SLEEP = 2,
};

/* Why a task does not run, with the letters of proc(5). */
enum offcpu_state {
	OFFCPU_SLEEPING = 1,  /* S: interruptible */
	OFFCPU_DISK = 2,      /* D: uninterruptible */
	OFFCPU_IDLE = 4,      /* I: uninterruptible, but a kernel thread that waits for work */
	OFFCPU_PREEMPTED = 8, /* R: runnable, but others run */
	OFFCPU_STOPPED = 16,  /* T, t: stopped by a signal or a debugger */

	/* The other states of wall-clock time */
	OFFCPU_LOCK = 32,     /* S or D for a lock of the kernel */
	OFFCPU_USER = 64,     /* it runs, in user space */
	OFFCPU_KERNEL = 128,  /* it runs, in the kernel */
	OFFCPU_RUNNING = 256, /* it runs, but too shortly for a sample that would tell where */
	OFFCPU_FUTEX = 512,   /* S in futex(2): for a mutex, a condition, the end of a thread or anything else that threads make of it */
};
#define WALL_NEVER (~0ULL) /* began_at before the time counts, and ended_at before the end */
#define OFFCPU_RUNS (OFFCPU_USER | OFFCPU_KERNEL | OFFCPU_RUNNING)

struct offcpu_stack {
	__u32 type; /* as in struct perf_event_header, as user space may finish the stack: unwind-sample.h */
	__u16 nr_kernel, size;
	__u64 hash; /* not 0 */
	__u64 nr;
	__u64 ip[2 * OFFCPU_MAX_FRAMES]; /* nr: nr_kernel of the kernel, then the user's; the innermost are the program's own */
};

/*
 * The hash of a stack that a thread has slept in since the recording began: its own, so that user space, which reads the whole stack, knows whose
 * it is, and that the thread has not run since.
 */
static inline __u64 offcpu_seed(__u32 tid, __u64 started, __u64 switches)
{
	__u64 hash = (started ^ (__u64)tid << 40) * 0x9e3779b97f4a7c15ULL;

	hash = (hash ^ hash >> 32 ^ switches) * 0x9e3779b97f4a7c15ULL;
	return (hash ^ hash >> 29) ?: 1;
}

struct offcpu_who {
	__u32 pid, tid;
	__u32 uid;
	__u32 cpu;    /* the CPU that the task left */
	__u64 cgroup; /* id in the v2 hierarchy */
	char comm[16];
};

struct offcpu_sleep {
	__u32 type;
	__u32 state;
	struct offcpu_who who;
	__u64 end;   /* CLOCK_MONOTONIC, ns */
	__u64 ns;
	__u64 stack; /* hash; 0: could not be taken or sent */
	__u64 waker; /* the same for the task that wakes it; 0: also if not asked for */
	__u64 value; /* the value for a histogram */
	__s32 bucket; /* its bucket */
	__u32 pad;
};

struct offcpu_key {
	__u32 pid, tid;
	__u64 stack, waker; /* 0 for a histogram */
	__s32 bucket;	    /* for a histogram */
	__u32 state;	    /* for wall-clock time; otherwise 0 */
};

struct offcpu_sum {
	__u64 ns; /* for a histogram the sum of its values */
	__u64 nr;
	__u64 least, greatest; /* ranks of values, see histogram__rank() */
	struct offcpu_who who; /* as at the first sleep */
};

/* One of these per CPU. */
struct offcpu_counts {
	__u64 seen;	   /* sleeps that the filter has judged, or all sleeps of the target */
	__u64 dropped;	   /* by the filter */
	__u64 sent;	   /* sent through the ring because they were long */
	__u64 summed;
	__u64 spilled;	   /* sent through the ring because the map of sums was full */
	__u64 lost;	   /* the ring was full */
	__u64 lost_ns;
	__u64 lost_stacks; /* sleeps sent without a stack */
	__u64 untracked;   /* sleeps whose start could not be stored */
	__u64 every[FILTER_MAX_EVERYS]; /* state for FILTER_TERM_EVERY */
};

#endif
