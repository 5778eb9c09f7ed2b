/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Histograms: what BPF programs and user space share. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_HISTOGRAM_H
#define PERF_BPF_HISTOGRAM_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* A number of a sample: bits of what a filter's table would load. */
struct histogram_number {
	__u8 term;	/* enum filter_term, below FILTER_TERM_INDEXED */
	__u8 shift;
	__u8 bits;	/* 1 to 64 */
	__u8 is_signed; /* the highest of them is the sign */
	__u32 pad;
	__s64 offset;	/* what to add: some terms are kept so that they are never negative */
};

enum histogram_kind {
	HISTOGRAM_NONE,
	HISTOGRAM_LOG2,   /* bucket 0: less than one step; b: from 2^(b-1) steps to below 2^b; -b: the same amounts below 0 */
	HISTOGRAM_LINEAR, /* bucket b: from b steps to below b + 1 */
};

#define HISTOGRAM_MAX_LINEAR 1024 /* buckets from 0 on, and as many below; what is beyond is in one of these two */
#define HISTOGRAM_OVER 0x7fffffff
#define HISTOGRAM_UNDER (-0x7fffffff)

struct histogram_config {
	struct histogram_number number; /* what is shown; not used for times between two tracepoints */
	__u32 kind;
	__u32 is_signed; /* values are to be read as s64, else as u64 */
	__u64 step;	 /* 1 or more */
};

/* Which program is attached to a tracepoint; the others of its kind are left out. */
enum histogram_hook {
	HISTOGRAM_HOOK_NONE,
	HISTOGRAM_HOOK_ENTER, /* syscalls:sys_enter_* */
	HISTOGRAM_HOOK_EXIT,	 /* syscalls:sys_exit_* */
	HISTOGRAM_HOOK_ANY,
	HISTOGRAM_HOOK_PROBE, /* a uprobe */
};

struct histogram_hooks {
	__u32 first;  /* whose hits are shown, or where times begin */
	__u32 second; /* where they end; HISTOGRAM_HOOK_NONE: no times */
};

/* Times from a hit of one tracepoint to one of another: what is equal in both, and how much goes into a key. */
#define LATENCY_MAX_KEYS 4

struct latency_config {
	__u32 nr_keys;
	__u32 end_len; /* bytes of the second one's record that end[] is in, a multiple of 8 */
	struct histogram_number start[LATENCY_MAX_KEYS];
	struct histogram_number end[LATENCY_MAX_KEYS];
};

/* One of these per CPU. A member is written by one program only. */
struct latency_counts {
	__u64 starts;	/* that were kept and remembered */
	__u64 replaced; /* of these: another one of the same key came before the end */
	__u64 lost;	/* that were kept, but there was no room */
	__u64 ends;	/* that had a start */
	__u64 lone_ends; /* of the target's tasks, that had none */
};

#endif
