/* SPDX-License-Identifier: GPL-2.0 */
/* Options of waiting for locks: which waits are counted, and by what. What they are counted by besides is in tally_opts.key. */
#ifndef PERF_SOURCE_LOCK_OPTS_H
#define PERF_SOURCE_LOCK_OPTS_H

#include <stdbool.h>
#include "util/bpf_skel/lock.h"
#include "util/lib/types.h"

struct lock_opts {
	u64 types;	      /* bit n: waits whose flags make the number n, see LOCK_FLAG_* */
	enum lock_by by;
	const u64 *addresses; /* the locks; NULL: all. Owned by the caller */
	u32 nr_addresses;
	u32 max_waits;	      /* that begin before others have ended */
	u32 max_frames;	      /* of the programs, the lock's functions and the caller's; at most LOCK_MAX_FRAMES */
	bool futexes;	      /* waits for locks of user space, not for those of the kernel; types do not matter then, and stacks are the user's */
	bool user_stacks;     /* stacks in user space, not in the kernel; not with LOCK_BY_OWNER_STACK. Then the key is TALLY_KEY_USTACK */
	bool named;	      /* find out what locks belong to; needs TALLY_KEY_LOCK */
	bool chosen_late;     /* who takes the rows leaves some out, by what is known only then. The totals are of all */
};

/* Who could end waits that go on: the owner of a mutex, or a thread whose end is waited for */
struct lock_holder {
	u32 pid, tid;
	char comm[16];
	bool of_mutex;
	u32 nr_waiters;
	u32 nr_frames; /* of its user stack, if it sleeps */
	u64 frame[LOCK_MAX_FRAMES];
};

/* What happened to waits, besides what tally_counts tells. */
struct lock_totals {
	u64 begins;	 /* begins = ends + unended + lost + open */
	u64 ends, unended, lost;
	u64 open;	 /* waits that had not ended; they are counted with their time so far */
	u64 nested;	 /* in interrupts of perf's own programs: not counted, and not in begins */
	u64 unjudged;	 /* of open: not counted, as the filter asks for what is known at their end */
	u64 early;	 /* waits that had begun before perf watched; known only if all waits of the target are wanted */
	u64 missed;	 /* hits for which the kernel skipped a program, of any task */
	u64 no_stack;	 /* without a stack */
	u64 timed_out, interrupted; /* of ends, for futexes: time or a signal has ended the wait */
	u64 late_owners; /* see struct lock_counts */
	u64 seeded;	 /* of begins: waits for futexes that had begun before; their time counts from when perf began to watch */
	const struct lock_holder *holder; /* of open waits, as far as it is known; they live as long as the source */
	u32 nr_holders;
};

#endif
