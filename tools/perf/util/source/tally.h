/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF judges and counts samples of perf events in the kernel: one row for each key instead of one record for each sample.
 * util/bpf_skel/tally.bpf.h explains how.
 */
#ifndef PERF_SOURCE_TALLY_H
#define PERF_SOURCE_TALLY_H

#include <stdbool.h>
#include "util/bpf_skel/tally.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct tally;
struct bpf_programs;
struct tally_exprs;
struct tally_values;
struct unwind_tables;
struct unwind_totals;

struct tally_opts {
	unsigned int key; /* TALLY_KEY_* */
	const struct tally_exprs *exprs; /* values that users name, besides the key; NULL: none. Must outlive the tally */
	struct tally_values *values; /* these for one event; set by the source, which owns them */
	u32 max_keys;	/* limit of keys at a time; samples of further keys go through the ring one by one */
	u32 max_stacks; /* stacks of max_stack frames that fit into the ring: new keys wait there to be read, and samples beyond max_keys */
	u16 max_stack;	/* limit of kernel frames, and of user frames */
	u32 own;	/* enum filter_owned of the event */
	u64 clocks;	/* filter_words.clocks of it */
	const struct bpf_programs *marks; /* as in struct event_filter; set by the source */
	const struct unwind_tables *tables; /* unwind user stacks by these, which must be loaded; NULL: let the kernel walk the frame pointers */
	bool by_file;	/* frames of ustack are places in files (UNWIND_PLACE), not in processes; needs tables */
	bool anew;	/* name commands and files anew in each round, so that who reads them may forget those of rounds before */
	bool both;	/* write the sample to the event's own ring buffer, too */
	/* Also count by bucket of this number, and sum up the number instead of the period. Must outlive the tally. NULL: no histogram */
	const struct histogram_config *histogram;
};

#define TALLY_OPTS_INIT							\
	{									\
		.key = TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_COMM |	\
		       TALLY_KEY_KSTACK | TALLY_KEY_USTACK,			\
		.max_keys = 16384,						\
		.max_stacks = 1024,						\
		.max_stack = TALLY_MAX_STACK,					\
	}

struct tally_row { /* members that are not in the key are 0 */
	u32 pid, tid, cpu, uid;
	u64 cgroup;
	char comm[16];
	u64 ip;
	u8 cpumode;	/* mode of ip: PERF_RECORD_MISC_KERNEL or _USER; 0 without ip */
	u64 lock;	/* address, and what is known of it; NULL: nothing was asked */
	u32 lock_type;	/* LOCK_FLAG_* */
	u32 state;	/* enum offcpu_state, of wall-clock time; otherwise 0 */
	const struct lock_name *lock_name;
	struct tally_values *values; /* of the event, to show these, as in tally_record; NULL: there are none */
	u64 has;
	const u64 *value;
	const u64 *kstack, *ustack; /* innermost frame first, without PERF_CONTEXT_* markers */
	u32 nr_kstack, nr_ustack;
	u64 count;	/* samples */
	u64 period;	/* sum of periods, or of a histogram's values modulo 2^64 */
	const struct histogram_config *histogram; /* meaning of the next three members; NULL: none */
	s32 bucket;
	u64 least, greatest; /* extreme values; a signed number as s64. Also of waits for locks */
	u64 first_time, last_time; /* by the events' clock; before Linux 6.3 always CLOCK_MONOTONIC, so set that clock for the events */
};

/*
 * seen = dropped + counted + lost_keys + lost_spill; for times: + lost_starts + open_starts. Samples that the kernel skipped (see
 * sampler_counts.untaken) are in none of these.
 */
struct tally_counts {
	u64 seen;
	u64 dropped;	 /* by the filter */
	u64 unmended;	 /* counted, but not written (both), because they hold another recording's values */
	u64 period;	 /* sum over seen */
	u64 untaken;	 /* the kernel skipped the program for them (filter_counts.untaken); not in seen */
	u64 late;	 /* as filter_counts.late */
	u64 untimed;	 /* as filter_counts.untimed */
	u64 undecided;	 /* counted although the filter could not judge them, as the task's maps were locked */
	u64 counted;
	u64 lost_stacks; /* counted with an empty stack, as it could not be taken */
	u64 spilled;	 /* counted, but sent through the ring one by one, as the table was full */
	u64 lost_keys;	 /* not counted: table and ring were full */
	u64 lost_spill;	 /* not counted: the ring was full for a new key */
	u64 blind;	 /* not counted: hits of a tracepoint whose arguments the program did not see */
	u64 valueless[FILTER_MAX_WALKS]; /* samples for which the filter's walks led to no value */
	const struct filter_missing *missing; /* the same with the walks' names, as in struct sampler_counts; set by the source */
	u64 map_bytes;	 /* kernel memory of all maps */
	/* for tracepoints with histograms: */
	u64 missed;	 /* hits for which the kernel skipped the program, as one was already running on that CPU; not in seen */
	/* for times, which are counted when they end; seen counts starts, counted counts ends: */
	u64 lost_starts; /* the map of starts was full */
	u64 open_starts; /* starts without an end before the next start */
	u64 lone_ends;	 /* ends without a start */
};

/*
 * Load the program for table (NULL: keep all samples). -EOPNOTSUPP: the kernel is too old for an entry of the table, which
 * old_kernel__refuses() names. Samples of the events must have tally__sample_type(opts).
 */
int tally__load(const struct tally_opts *opts, const struct filter_table *table, struct tally **tally, struct errmsg *err);
u64 tally__sample_type(const struct tally_opts *opts);

/* Load the program for kernels before Linux 6.3 in any case, as bpf_filter__load_old(). */
int tally__load_old(const struct tally_opts *opts, const struct filter_table *table, struct tally **tally,
		      struct errmsg *err);

/* As bpf_filter__attach(): attach to each descriptor before it is enabled. */
int tally__attach(struct tally *tally, int perf_fd, struct errmsg *err);

/* A descriptor to watch by epoll with EPOLLET; readable when a tally__drain() is worth while. */
int tally__fd(const struct tally *tally);

/* See struct source_ops; NULL: tally is NULL. */
struct bpf_ring *tally__ring(struct tally *tally);

/* Empty the ring. -errno */
int tally__drain(struct tally *tally);

/*
 * Pass each key that was counted since the last call to cb once, and clear its counts, even if cb stops by a negative return, which
 * is returned without a message. Samples may arrive during the call: each belongs to this collection or to the next.
 */
int tally__collect(struct tally *tally, int (*cb)(void *data, const struct tally_row *row), void *data, struct errmsg *err);

/* Counts of all events it is attached to, from the beginning. */
int tally__counts(struct tally *tally, struct tally_counts *counts, struct errmsg *err);

/* With opts->tables: how the user stacks ended. */
int tally__unwound(const struct tally *tally, struct unwind_totals *totals, struct errmsg *err);

void tally__delete(struct tally *tally); /* NULL is fine */

#endif
