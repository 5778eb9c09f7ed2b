/* SPDX-License-Identifier: GPL-2.0 */
/* Threads with equal stacks in one group: of one program, in one state, in the same system call. */
#ifndef PERF_UI_STACKS_GROUPS_H
#define PERF_UI_STACKS_GROUPS_H

#include "util/callchain/callchain.h"
#include "util/lib/hash-index.h"
#include "util/source/thread-stacks.h"

struct stacks_wait { /* what threads wait for */
	char *text;
	u32 nr; /* threads */
};

struct stacks_group {
	const char *comm; /* of the process; NULL: threads of the kernel */
	u32 pid;	  /* 0: several processes */
	u32 state;	  /* enum offcpu_state */
	s32 call;	  /* system call; -1: none */
	u8 quality;	  /* enum stack_quality */
	const struct location *frame; /* the innermost first */
	u32 nr_frames;
	bool cut;	  /* there are more callers */
	const struct thread_stack **thread; /* by name and tid */
	u32 nr, room;
	struct stacks_wait *wait; /* of most threads first */
	u32 nr_waits;
	struct hash_index waits; /* by their texts */
	u64 least_ns, greatest_ns; /* off CPU; 0: unknown */
};

struct stacks_groups;

struct stacks_groups *stacks_groups__new(void); /* NULL: no memory */
void stacks_groups__delete(struct stacks_groups *g); /* NULL is fine */

/*
 * Add a thread of a process with this name (NULL: of the kernel), which must outlive the groups, as must stack; chain is copied. cut: its
 * user's part is not whole; wait: what it waits for, copied, or "". 0 or -ENOMEM
 */
int stacks_groups__add(struct stacks_groups *g, const char *comm, const struct thread_stack *stack, const struct callchain *chain, bool cut,
		       const char *wait);

/* The largest first; returns their number. */
u32 stacks_groups__sort(struct stacks_groups *g);
const struct stacks_group *stacks_groups__at(const struct stacks_groups *g, u32 i); /* after the sort */

#endif
