/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * What CPUs do, as perf kwork sums it up: the times of interrupts, softirqs, works and tasks, and how long these waited. What the
 * BPF programs share with user space. Plain data only; BPF programs include vmlinux.h first.
 *
 * Each ns of a CPU belongs to one of them: to the innermost interrupt, otherwise to the softirq, otherwise to the task, which may be idle. A
 * work's time is a part of that of the task that executes it. So times hold neither what interrupts them nor sleep.
 */
#ifndef PERF_BPF_KWORK_H
#define PERF_BPF_KWORK_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "filter.h"

enum kwork_class {
	KWORK_IRQ,	/* a handler of an interrupt */
	KWORK_SOFTIRQ,
	KWORK_WORK,	/* a function of a workqueue */
	KWORK_TASK,
	KWORK_TASKLET,	/* a function of a tasklet */
	KWORK_TIMER,	/* a function of a timer of the timer wheel */
	KWORK_HRTIMER,	/* a function of a high-resolution timer */
	KWORK_IPI,	/* an interrupt of another CPU, or of this CPU's own timer */
	KWORK_NR_CLASSES,
};

#define KWORK_MAX_IRQS 4	/* that interrupt each other */
#define KWORK_MAX_CALLS 4	/* functions of tasklets and timers that interrupt each other; a power of two */
#define KWORK_MAX_SOFTIRQS 16	/* numbers; a power of two. There are 10 */
#define KWORK_NAME_LEN 64
#define KWORK_COMM_LEN 16

struct kwork_key {
	__u64 id;    /* interrupts: number, and a digest of the handler in the upper half; softirqs: number; works, tasklets,
		  timers: function; tasks: tid; IPIs: vector */
	__u32 class; /* enum kwork_class */
	__u32 cpu;   /* of tasks 0: their rows are of all CPUs */
};

struct kwork_times {
	__u64 count, total, greatest; /* ns */
	__u64 begin, end;	      /* of the greatest; CLOCK_MONOTONIC */
};

struct kwork_row {
	struct kwork_times run;	 /* its time on the CPU. Begin and end are those of the whole run, with what came between */
	struct kwork_times wait; /* from raise, queueing or waking to its begin. Of tasks: and from each preemption */
	struct kwork_times queued; /* of works, a part of wait: until the workqueue's limit let it start */
	__u32 number;		 /* of an interrupt, also of an IPI; of a task: its pid */
	__u32 kernel;		 /* a task of the kernel */
	char name[KWORK_NAME_LEN]; /* of an interrupt's handler, of a task, or of a function, which may be cut; "": unknown */
	__u64 since;		 /* of a task: it waits for a CPU since then; 0: it does not */
};

/* A run that goes on: of an interrupt, a softirq, a work, or a function of a tasklet or timer. */
struct kwork_run {
	__u64 id;
	__u64 begin;
	__u64 ns;	/* on the CPU so far; of a work or a function: without the current turn, which began ... */
	__u64 mark;	/* ... when the CPU's time of its kind was this */
	__u64 wait;	/* ns before begin, and since when; 0: unknown */
	__u64 raised;
};

struct kwork_call { /* of a function of a tasklet or timer */
	struct kwork_run run;
	__u64 object;	/* its tasklet or timer */
	__u64 class;
};

struct kwork_cpu {
	__u64 last;	 /* event: all time before it is counted; 0: there was none */
	__u64 task_ns;	 /* time of tasks, idle or not, since the begin */
	__u64 softirq_ns, irq_ns, idle_ns;
	__u64 turn_begin, turn_mark; /* of the current task: since when, and what task_ns was then */
	__u32 nr_irqs;	 /* that run now */
	__u32 in_softirq;
	__u32 nr_calls;	 /* that run now, the innermost last */
	__u32 pad;
	struct kwork_run irq[KWORK_MAX_IRQS]; /* and IPIs: see KWORK_IPI_ID */
	struct kwork_call call[KWORK_MAX_CALLS];
	struct kwork_run softirq;
	struct kwork_run bh_work; /* a work that a softirq executes; id 0: none */
	__u64 raised[KWORK_MAX_SOFTIRQS]; /* first raise since it ran last; 0: none */
	__u64 unended;	 /* runs whose end was not seen */
};

/* IPIs are among the interrupts of a CPU. No handler's name is at such an address, nor has it such a digest. */
#define KWORK_IPI_ID(vector) ((__u64)1 << 32 | (__u32)(vector))
#define KWORK_IS_IPI(id) ((id) >> 32 == 1)

/* Rows of these classes are of functions of the kernel. */
#define KWORK_IS_FUNCTION(class) ((class) == KWORK_WORK || (class) == KWORK_TASKLET || (class) == KWORK_TIMER || (class) == KWORK_HRTIMER)

struct kwork_queued { /* a work that waits. Key: its address */
	__u64 queued, activated; /* when; 0: unknown */
};

/* For those who want each run. */
struct kwork_record {
	/* A struct perf_event_header, as bpf/ring.h wants it; type and misc are not used */
	__u32 type;
	__u16 misc, bytes;
	struct kwork_key key;
	__u64 begin, end, ns;
	__u64 wait, raised; /* 0: unknown */
	__u32 number, cpu;
	char name[KWORK_NAME_LEN];
};

struct kwork_config {
	__u32 classes;	/* bit n: rows of this class */
	__u8 runs;	/* count times of runs */
	__u8 waits;	/* count waits */
	__u8 each;	/* send each run */
	__u8 filtered;	/* use the filter's table */
	__u8 pad[3];
	__u32 wake_at;	/* bytes in the ring that are worth a wake-up */
};

/* One of these per CPU. */
struct kwork_counts {
	__u64 dropped;	   /* by the filter: runs and waits */
	__u64 kept;
	__u64 lost_rows;   /* runs and waits that are in no row: the map was full */
	__u64 lost_waits;  /* works whose wait is unknown: the map of those that wait was full */
	__u64 lost_works;  /* works without a time: no memory to follow their worker */
	__u64 lost_records; /* the ring was full */
	__u64 early;	   /* works that were queued before anybody looked */
	__u64 every[FILTER_MAX_EVERYS]; /* state for FILTER_TERM_EVERY */
};

/* At the end: a task that is on a CPU, or executes a work. */
struct kwork_running {
	__u32 tid, pid, cpu;
	__u16 on_cpu, kernel;
	char comm[KWORK_COMM_LEN];
	struct kwork_run work; /* id 0: none */
};

#endif
