/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that wait for one another for ever: each for a lock, or the end, of the next one. */
#ifndef PERF_SOURCE_WAIT_CYCLES_H
#define PERF_SOURCE_WAIT_CYCLES_H

#include "util/source/thread-stacks.h"

struct wait_cycles {
	struct wait_cycle {
		const struct thread_stack **thread; /* each waits for the next one, and the last one for the first, which has the lowest tid */
		u32 nr;
		u32 nr_behind; /* other threads that wait for these, or for others that do */
	} *cycle;
	u32 nr;
	u32 nr_waits; /* threads that wait for a futex or a lock of the kernel */
	u32 nr_owned; /* those of them whose owner is known */
};

/*
 * Find the cycles of a snapshot, which must outlive them. still: does the thread, which waited when it was read, wait now, and was
 * asleep all the time? Only if all do, were all asleep at one moment, and none can go on. 0 or -ENOMEM
 */
int wait_cycles__find(struct wait_cycles *c, const struct thread_stacks *all, bool (*still)(void *data, const struct thread_stack *stack),
		      void *data);
void wait_cycles__exit(struct wait_cycles *c);

#endif
