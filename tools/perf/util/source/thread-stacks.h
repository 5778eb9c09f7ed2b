/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The whole stacks of threads, kernel and user, while they go on. perf walks them from the registers of a snapshot and the memory of the process. If a
 * thread has run meanwhile, its stack is read again. A stack that was read while its thread ran is never shown.
 */
#ifndef PERF_SOURCE_THREAD_STACKS_H
#define PERF_SOURCE_THREAD_STACKS_H

#include "util/callchain/unwind.h"
#include "util/source/futex-wait.h"
#include "util/source/snapshot.h"

/* The registers of PERF_SAMPLE_REGS_USER that unwinding takes: include/uapi/asm/perf_regs.h */
#if defined(__x86_64__)
#define THREAD_STACKS_REGS 0xff01ffULL
#elif defined(__aarch64__)
#define THREAD_STACKS_REGS 0x1ffffffffULL
#endif

enum stack_quality {
	STACK_WHOLE,  /* as it was at one moment */
	STACK_RUNS,   /* the thread ran each time: it has no frames */
	STACK_TORN,   /* the thread had run between two looks, each time: it has no frames */
	STACK_CLOSED, /* its memory may not be read: the kernel's frames only */
};

struct thread_stack {
	struct snapshot_task *task;
	u64 *chain; /* as in a sample: words, PERF_CONTEXT_* markers among them */
	u32 nr;
	u8 quality; /* enum stack_quality */
	struct futex_wait wait;
	u32 owner;  /* tid of wait.owner, or of the owner of task->lock; 0: it is not known, or there is no such thread */
	u32 owner_pid; /* its process: another one if the futex is shared, or for a lock of the kernel */
};

struct thread_stacks { /* starts zeroed */
	struct thread_stack *stack; /* by pid and tid */
	u32 nr, room;
};

struct thread_stacks_opts {
	struct snapshot *snapshot;
	struct machine *machine;
	struct unwinder *unwinder;
	u32 max_frames; /* of the user */
	u64 until; /* CLOCK_MONOTONIC, ns: read no stack that is not begun then, they stay torn. 0: read all */
	/* Called once for each process before its stacks are walked: tell machine its maps. 0 or -errno, with err */
	int (*meet)(void *data, u32 pid, struct errmsg *err);
	void *data;
};

/* Does the thread wait for task->lock, a lock of the kernel? Such a thread may be in futex(2), but not in a wait for a futex. */
bool thread_stack__waits_in_kernel(const struct thread_stack *stack);
/* The stack of this thread; NULL: it is not among them */
const struct thread_stack *thread_stacks__find(const struct thread_stacks *all, u32 pid, u32 tid);
/* What was there is dropped. 0 or -errno */
int thread_stacks__take(struct thread_stacks *all, const struct thread_stacks_opts *opts, struct errmsg *err);
/* Has the thread slept since its stack was read, and does it wait for the same? */
bool thread_stack__still_waits(const struct thread_stack *stack, struct snapshot *snapshot);
void thread_stacks__exit(struct thread_stacks *all);

#endif
