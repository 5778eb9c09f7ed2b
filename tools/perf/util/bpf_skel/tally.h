/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Counting by keys: data that BPF programs and user space share. Plain data only; BPF programs include vmlinux.h first. */
#ifndef PERF_BPF_TALLY_H
#define PERF_BPF_TALLY_H

#ifndef __bpf__
#include <linux/types.h>
#endif
#include "histogram.h"
#include "lock.h"

/* What the samples of one row have in common. */
enum {
	TALLY_KEY_COMM = 1,
	TALLY_KEY_PID = 2,
	TALLY_KEY_TID = 4,
	TALLY_KEY_CPU = 8,
	TALLY_KEY_CGROUP = 16, /* id in the v2 hierarchy */
	TALLY_KEY_UID = 32,
	TALLY_KEY_IP = 64,	 /* including whether it is a kernel or a user address */
	TALLY_KEY_KSTACK = 128,
	TALLY_KEY_USTACK = 256,
	TALLY_KEY_SYM = 512,	 /* only for the output; the kernel counts by IP then */
	TALLY_KEY_LOCK = 1024,	 /* the lock that a task waited for */
	TALLY_KEY_LOCK_TYPE = 2048,
};

#define TALLY_MAX_STACK 127 /* frames of each stack: the default of kernel.perf_event_max_stack */

/*
 * A value that users name: a term, a field of a tracepoint, or a walk through the kernel's data. As a part of the key it takes words of
 * tally_record.value from at on: a number one, a text as many as it may need with its NUL, padded by NULs.
 */
#define TALLY_MAX_VALUES 8
#define TALLY_VALUE_WORDS 32 /* of all together */
#define TALLY_TEXT_WORDS 8   /* of one text; longer ones are cut */

enum tally_value_kind {
	TALLY_VALUE_NONE,
	TALLY_VALUE_TERM,	 /* number */
	TALLY_VALUE_WALK_NUMBER, /* the same, after the walk of that index */
	TALLY_VALUE_WALK_TEXT,
	TALLY_VALUE_FIELD_TEXT,	 /* of filter_words.field[index] */
};

struct tally_value {
	struct histogram_number number;
	__u8 kind; /* enum tally_value_kind */
	__u8 index; /* of the walk or the field */
	__u8 at, words;
	__u32 pad;
};

/* Read-only for the programs, so that code for parts that no key needs is compiled out. */
struct tally_config {
	__u64 seed[2];	  /* random */
	__u64 wake_at;	  /* bytes in the ring that are worth a wake-up of user space */
	__u32 key;	  /* TALLY_KEY_*, without _SYM */
	__u32 last_slot;  /* of one set: number of slots, a power of two, minus 1 */
	__u32 stack_size; /* bytes of each of the two stacks */
	__u32 filtered;	  /* use the filter's table */
	__u32 both;	  /* write the sample, too */
	__u32 extremes;	  /* keep the least and the greatest value, as for a histogram */
	__u32 nr_values;
	__u32 value_words;
	struct tally_value value[TALLY_MAX_VALUES + 1]; /* parts of the key; the last one is summed up instead of periods */
	struct histogram_config histogram; /* the key also has a bucket, and values are summed up instead of periods */
};

/* The set of slots to count in; user space sets it. */
struct tally_control {
	__u32 set; /* 0 or 1 */
	__u32 pad;
};

/* Unused parts are 0. */
struct tally_key {
	__u32 pid, tid;
	__u32 cpu, uid;
	__u64 cgroup;
	__u64 ip;
	__u64 comm[2];
	__u16 nr_kernel, nr_user; /* frames */
	__u32 cpumode;
	__s32 bucket; /* for a histogram */
	__u32 lock_type; /* enum lock_type */
	__u64 lock;	 /* its address */
};

#define TALLY_NO_SLOT 0xffffffff
#define TALLY_FINISHED 1 /* as type: user space has finished the user's stack, so number and digest of frames are not those of the key any more */

/* Sent through the ring: a new key and its slot from now on, or (TALLY_NO_SLOT) one sample to add. */
struct tally_record {
	/* as in struct perf_event_header, whose readers go from record to record by size */
	__u32 type;
	__u16 set;
	__u16 size;
	__u64 digest[2]; /* of the key and its frames, both not 0 */
	__u64 time;
	__u64 period; /* or value */
	__u64 rank;   /* of the value, see histogram__rank() */
	__u32 slot;
	__u32 pad;
	struct tally_key key;
	struct lock_name lock; /* of key.lock, as far as it is known; the key is equal without it */
	__u64 has; /* bits of the values that there are; the words of others are 0 */
	__u64 value[TALLY_VALUE_WORDS + 1]; /* the last word is what is summed up, and no part of the key */
	__u64 nr; /* of frames, if user space is to finish the user's: see unwind-sample.h */
	__u64 frame[2 * TALLY_MAX_STACK]; /* nr_kernel, then nr_user */
};

/* One cache line each. User space may change a slot only while no program counts in its set. */
struct tally_slot {
	__u64 digest[2]; /* [0] is 0: free; [1] is 0: being inserted */
	__u64 count;
	__u64 period;
	__u64 first_time, last_time;
	__u64 least, greatest; /* ranks of values */
};

#define TALLY_PROBES 16 /* limit of consecutive slots to try for a key */

/* The sum of counted and lost samples is the number of samples that were kept. */
struct tally_totals {
	__u64 counted;	   /* in a slot */
	__u64 spilled;	   /* sent through the ring */
	__u64 unfinished;  /* sent through the ring, as user space finishes their stacks */
	__u64 lost_keys;   /* no slot was free, and the ring was full */
	__u64 lost_spill;  /* a slot was free, but the ring was full */
	__u64 lost_stacks; /* samples, counted or not, whose stack could not be taken */
};

/* One of these per CPU. */
struct tally_scratch {
	struct tally_totals counts;
	__u64 unplaced;		    /* the current sample has no value for a bucket */
	struct tally_record record; /* of the current sample */
};

#endif
