/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Histograms: what BPF programs and user space share. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_HISTOGRAM_H
#define PERF_BPF_HISTOGRAM_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* A number in a sample: the same bits that a filter's table would load. */
struct histogram_number {
	__u8 term;	/* enum filter_term, below FILTER_TERM_INDEXED */
	__u8 shift;
	__u8 bits;	/* 1 to 64 */
	__u8 is_signed; /* the highest bit is the sign */
	__u32 pad;
	__s64 offset;	/* to add: some terms are stored with an offset so that they are never negative */
};

enum histogram_kind {
	HISTOGRAM_NONE,
	HISTOGRAM_LOG2,   /* bucket 0: less than one step; b: from 2^(b-1) steps to below 2^b; -b: the same ranges below 0 */
	HISTOGRAM_LINEAR, /* bucket b: from b steps to below b + 1 */
};

#define HISTOGRAM_MAX_LINEAR 1024 /* buckets from 0 on, and as many below; values beyond are in the last one on either side */
#define HISTOGRAM_OVER 0x7fffffff
#define HISTOGRAM_UNDER (-0x7fffffff)

struct histogram_config {
	struct histogram_number number; /* the number to count; not used for times between two tracepoints */
	__u32 kind;
	__u32 is_signed; /* values are s64, otherwise u64 */
	__u64 step;	 /* 1 or more */
	__u64 origin;	 /* the first linear bucket of unsigned values begins here; all below is HISTOGRAM_UNDER */
};

/* Which program is attached to a tracepoint; the others of its kind are compiled out. */
enum histogram_hook {
	HISTOGRAM_HOOK_NONE,
	HISTOGRAM_HOOK_ENTER, /* syscalls:sys_enter_* */
	HISTOGRAM_HOOK_EXIT,	 /* syscalls:sys_exit_* */
	HISTOGRAM_HOOK_ANY,
	HISTOGRAM_HOOK_PROBE, /* a uprobe */
};

struct histogram_hooks {
	__u32 first;  /* tracepoint of the hits, or where times begin */
	__u32 second; /* where they end; HISTOGRAM_HOOK_NONE: no times */
};

/* Times from a hit of one tracepoint to a hit of another: members with equal values in both, and the bytes of a key. */
#define LATENCY_MAX_KEYS 4

struct latency_config {
	__u64 stack_over; /* take the stacks where times of at least so many ns end; 0: of none */
	__u32 own;	  /* the only key is the task itself: its start is kept in its storage */
	__u32 nr_keys;
	__u32 end_len; /* size of the part of the second one's record that end[] uses, a multiple of 8 */
	struct histogram_number start[LATENCY_MAX_KEYS];
	struct histogram_number end[LATENCY_MAX_KEYS];
};

/* One of these per CPU. Only one program writes each member. */
struct latency_counts {
	__u64 starts;	/* kept and stored */
	__u64 lost;	/* kept, but there was no room */
	__u64 ends;	/* with a start */
	__u64 lone_ends; /* without a start, in the target's tasks */
};

#endif
