/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Off-CPU time: what the BPF programs tell user space. Plain data only; BPF programs include vmlinux.h first.
 *
 * Through the ring come stacks and sleeps. A stack is sent when it is seen for the first time, and again if the programs could not
 * remember that it was; sleeps name it by its hash, always after it in the ring. Short sleeps are summed in a map.
 */
#ifndef PERF_BPF_OFFCPU_H
#define PERF_BPF_OFFCPU_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "filter.h"

#define OFFCPU_MAX_FRAMES 127 /* of each part of a stack: what kernel.perf_event_max_stack is by default */

enum offcpu_type {
	OFFCPU_STACK = 1,
	OFFCPU_SLEEP = 2,
};

/* Why a task does not run, as proc(5) has the letters. */
enum offcpu_state {
	OFFCPU_SLEEPING = 1,  /* S: interruptible */
	OFFCPU_DISK = 2,      /* D: uninterruptible */
	OFFCPU_IDLE = 4,      /* I: uninterruptible, but a kernel thread that waits for work */
	OFFCPU_PREEMPTED = 8, /* R: could run, but others do */
	OFFCPU_STOPPED = 16,  /* T, t: by a signal or a debugger */
};

struct offcpu_stack {
	__u32 type;
	__u16 nr_kernel, nr_user;
	__u64 hash; /* not 0 */
	__u64 ip[2 * OFFCPU_MAX_FRAMES]; /* nr_kernel, then nr_user; of the kernel's the innermost ones are the program's own */
};

struct offcpu_who {
	__u32 pid, tid;
	__u32 uid;
	__u32 cpu;    /* that the task left */
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
	__u64 waker; /* the same of who woke it; 0: not asked for, too */
	__u64 value; /* what a histogram shows of it */
	__s32 bucket; /* its place there */
	__u32 pad;
};

struct offcpu_key {
	__u32 pid, tid;
	__u64 stack, waker; /* of a histogram 0 */
	__s32 bucket;	    /* of a histogram */
	__u32 pad;
};

struct offcpu_sum {
	__u64 ns; /* of a histogram the sum of its values */
	__u64 nr;
	__u64 least, greatest; /* ranks of values, see histogram__rank() */
	struct offcpu_who who; /* as it was at the first sleep */
};

/* One of these per CPU. */
struct offcpu_counts {
	__u64 seen;	   /* sleeps that the filter has judged, or all of the target */
	__u64 dropped;	   /* by the filter */
	__u64 sent;	   /* through the ring because they were long */
	__u64 summed;
	__u64 spilled;	   /* through the ring because there was no room for another sum */
	__u64 lost;	   /* the ring was full */
	__u64 lost_ns;
	__u64 lost_stacks; /* of sleeps that are told without */
	__u64 untracked;   /* sleeps that could not be noted when they began */
	__u64 every[FILTER_MAX_EVERYS]; /* the state of FILTER_TERM_EVERY */
};

#endif
