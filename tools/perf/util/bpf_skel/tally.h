/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Counting by keys: what BPF programs and user space share. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_TALLY_H
#define PERF_BPF_TALLY_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "histogram.h"

/* What samples have in common that are counted together. */
enum {
	TALLY_KEY_COMM = 1,
	TALLY_KEY_PID = 2,
	TALLY_KEY_TID = 4,
	TALLY_KEY_CPU = 8,
	TALLY_KEY_CGROUP = 16, /* id in the v2 hierarchy */
	TALLY_KEY_UID = 32,
	TALLY_KEY_IP = 64,	 /* and whether it is the kernel's or a user's */
	TALLY_KEY_KSTACK = 128,
	TALLY_KEY_USTACK = 256,
	TALLY_KEY_SYM = 512,	 /* for who shows the rows; the kernel counts by IP then */
};

#define TALLY_MAX_STACK 127 /* frames of each stack: what kernel.perf_event_max_stack is by default */

/* Read-only to the programs, so that what no key asks for is not even in them. */
struct tally_config {
	__u64 seed[2];	  /* random */
	__u64 wake_at;	  /* bytes in the ring that are worth waking user space */
	__u32 key;	  /* TALLY_KEY_*, without _SYM */
	__u32 last_slot;  /* of one set: their number, a power of two, less 1 */
	__u32 stack_size; /* bytes of each of the two stacks */
	__u32 filtered;	  /* ask the filter's table */
	__u32 both;	  /* let the sample go on */
	__u32 pad;
	struct histogram_config histogram; /* the key has a bucket, too, and values are summed up in the place of periods */
};

/* Which set of slots samples are counted in, as user space says. */
struct tally_control {
	__u32 set; /* 0 or 1 */
	__u32 pad;
};

/* The parts that are not asked for are 0. */
struct tally_key {
	__u32 pid, tid;
	__u32 cpu, uid;
	__u64 cgroup;
	__u64 ip;
	__u64 comm[2];
	__u16 nr_kernel, nr_user; /* frames */
	__u32 cpumode;
	__s32 bucket; /* of a histogram */
	__u32 pad;
};

#define TALLY_NO_SLOT 0xffffffff

/* Through the ring: a key that is new and where it is counted from now on, or (TALLY_NO_SLOT) one sample that is to be added. */
struct tally_record {
	/* like struct perf_event_header, whose readers go from record to record by size */
	__u32 type;
	__u16 set;
	__u16 size;
	__u64 digest[2]; /* of the key and its frames, neither of them 0 */
	__u64 time;
	__u64 period; /* or value */
	__u64 rank;   /* of the value, see histogram__rank() */
	__u32 slot;
	__u32 pad;
	struct tally_key key;
	__u64 frame[2 * TALLY_MAX_STACK]; /* nr_kernel, then nr_user */
};

/* A cache line each. User space may change one only while no sample is counted in its set. */
struct tally_slot {
	__u64 digest[2]; /* [0] is 0: free; [1] is 0: being taken */
	__u64 count;
	__u64 period;
	__u64 first_time, last_time;
	__u64 least, greatest; /* ranks of values */
};

#define TALLY_PROBES 16 /* slots in a row that a key may be in */

/* What was counted or lost adds up to the samples that were kept. */
struct tally_totals {
	__u64 counted;	   /* in a slot */
	__u64 spilled;	   /* through the ring */
	__u64 lost_keys;   /* no slot is free, and the ring is full */
	__u64 lost_spill;  /* a slot was free, but the ring is full */
	__u64 lost_stacks; /* counted or not: a stack could not be taken */
};

/* One of these per CPU. */
struct tally_scratch {
	struct tally_totals counts;
	struct tally_record record; /* of the present sample */
};

#endif
