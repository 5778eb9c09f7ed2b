/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * System calls, from their begin to their end: what the BPF programs of perf trace share with user space. Plain data only; BPF
 * programs include vmlinux.h first.
 */
#ifndef PERF_BPF_TRACE_H
#define PERF_BPF_TRACE_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "filter.h"

#define TRACE_MAX_CALLS 512 /* numbers of system calls; a power of two */
#define TRACE_MAX_ARGS 6
#define TRACE_ARG_ROOM 8    /* the next power of two */
#define TRACE_MAX_COPIES 3  /* limit of copies of memory for each call */
#define TRACE_MAX_COPY 4096 /* limit of bytes of each; a power of two */
#define TRACE_MAX_ERRNO 4095

/* What an argument points to, if programs copy it. */
enum trace_copy_kind {
	TRACE_COPY_NONE,
	TRACE_COPY_STRING, /* up to its NUL */
	TRACE_COPY_IN,	   /* bytes whose number is another argument */
	TRACE_COPY_OUT,	   /* bytes whose number is the result; none after an error */
};

struct trace_copy_rule {
	__u8 kind; /* enum trace_copy_kind */
	__u8 arg;  /* the pointer */
	__u8 size; /* TRACE_COPY_IN: the argument with the number of bytes */
};

struct trace_rule { /* for one number */
	__u8 wanted;
	__u8 nr_copies;
	struct trace_copy_rule copy[TRACE_MAX_COPIES];
};

struct trace_config {
	__u64 min_ns;	    /* leave out calls that took less */
	__u32 max_text;	    /* bytes of a string, including its NUL: at most TRACE_MAX_COPY */
	__u32 max_bytes;    /* of a buffer: at most TRACE_MAX_COPY */
	__u32 wake_at;	    /* bytes in the ring that are worth a wake-up */
	__u8 filtered;	    /* use the filter's table */
	__u8 failed_only;   /* leave out calls without an error */
	__u8 written;	    /* send each call */
	__u8 summed;	    /* add each call to its row in trace_sums */
	__u8 by_cpu;	    /* rows are of a CPU, not of a thread: user space wants only totals */
	__u8 with_errors;   /* count each error number in trace_errors */
	__u8 pad[2];
	struct trace_rule rule[TRACE_MAX_CALLS];
};

/* A call that has not ended, in the storage of its task. */
struct trace_open {
	__u64 begin; /* CLOCK_MONOTONIC; 0: the task is in no call that is traced */
	__u32 nr;
	__u32 pad;
	__u64 arg[TRACE_MAX_ARGS];
};

enum trace_call_state {
	TRACE_ENDED,	 /* with a result */
	TRACE_NO_RETURN, /* exit and exit_group: sent when they begin */
	TRACE_UNFINISHED, /* goes on when tracing ends: end is that time, and nothing is copied */
};

struct trace_copy {
	__u8 arg;
	__u8 cut; /* there was more, or nobody could read it */
	__u16 size; /* bytes; a string has no NUL */
};

/* A record of the ring. The bytes of the copies follow each other, each one at a multiple of 8. */
struct trace_call {
	/* A struct perf_event_header, as bpf/ring.h wants it; type and misc are not used */
	__u32 type;
	__u16 misc, bytes;
	__u64 begin, end;
	__u32 pid, tid;
	__u32 nr, cpu;
	__s64 ret;
	__u64 arg[TRACE_ARG_ROOM];
	char comm[16];
	__u8 state; /* enum trace_call_state */
	__u8 nr_copies;
	__u8 pad[2];
	struct trace_copy copy[TRACE_MAX_COPIES];
};

struct trace_sum_key {
	__u32 id; /* tid, or the CPU's number if by_cpu is set */
	__u32 nr;
};

struct trace_sum {
	__u64 calls, errors;
	__u64 unreturned;	    /* of calls: exit and exit_group, without a time */
	__u64 total, least, greatest; /* ns */
	__u64 squares_low, squares_high; /* sum of ns squared, in 128 bits */
	__u32 pid, pad;
	char comm[16];
};

struct trace_error_key {
	__u32 id, nr; /* as in trace_sum_key */
	__u32 error;  /* errno */
};

/* One of these per CPU. calls = kept + dropped + those that options leave out */
struct trace_counts {
	__u64 calls;	/* of the wanted numbers that ended, or cannot return */
	__u64 dropped;	/* by the filter */
	__u64 lost;	/* the ring was full */
	__u64 lost_sums; /* the map of sums was full */
	__u64 untracked; /* no memory for the begin */
	__u64 compat;	/* of 32-bit programs: not traced */
	__u64 turn;	/* number of records sent */
};

/* The storage of a task is larger than a program's stack allows: seen by the iterator, sent to user space as it is. */
struct trace_unfinished {
	struct trace_open open;
	__u32 pid, tid;
	char comm[16];
};

#endif
