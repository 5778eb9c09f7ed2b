/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits for locks from recorded hits of lock:contention_begin and lock:contention_end: what util/bpf_skel/lock.bpf.c does in the kernel,
 * for files. Both count the same waits.
 */
#ifndef PERF_SOURCE_LOCK_PAIRS_H
#define PERF_SOURCE_LOCK_PAIRS_H

#include "util/filter/filter.h"
#include "util/source/lock-opts.h"
#include "util/source/tally.h"

struct lock_hit { /* of a tracepoint; hits come in the order of time */
	u64 time, lock;
	u32 pid, tid, cpu;
	u32 flags; /* of a begin: LOCK_FLAG_* */
	u64 cgroup;
	const char *comm; /* copied */
	const u64 *frame; /* in the kernel, of a begin; copied */
	u32 nr_frames;
	u64 place[2]; /* anything: is passed on with the wait */
};

/* One wait, count is 1. row is valid during the call. A negative return ends the current call with it. */
typedef int (*lock_pairs_cb)(void *data, const struct tally_row *row, const u64 place[2]);

struct lock_pairs_opts {
	const struct lock_opts *locks;	   /* which types and addresses; its other members are for the kernel */
	const struct filter_table *filter; /* see lock_pairs__check_filter(); NULL: none */
	bool selected;			   /* the caller leaves out begins, but not their ends */
	lock_pairs_cb cb;
	void *data;
};

struct lock_pairs;

/* -EINVAL with a message: the filter uses a term that a recorded wait lacks. table is the lowered filter. */
int lock_pairs__check_filter(const struct filter *filter, const struct filter_table *table, struct errmsg *err);

struct lock_pairs *lock_pairs__new(const struct lock_pairs_opts *opts); /* what opts points to must outlive it. NULL: no memory */
int lock_pairs__begin(struct lock_pairs *pairs, const struct lock_hit *hit); /* 0 or -ENOMEM */
int lock_pairs__end(struct lock_pairs *pairs, const struct lock_hit *hit);   /* 0 or what cb returned */
/* After the last hit: the waits that go on, with their time until now. 0 or what cb returned. */
int lock_pairs__finish(struct lock_pairs *pairs, u64 now);
const struct lock_totals *lock_pairs__totals(const struct lock_pairs *pairs);
void lock_pairs__delete(struct lock_pairs *pairs); /* NULL is fine */

#endif
