/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that run: an event of their CPU interrupts them, and takes their registers and a copy of their stack at that moment. */
#ifndef PERF_CMD_STACKS_RUNNING_H
#define PERF_CMD_STACKS_RUNNING_H

#include "util/callchain/unwind.h"
#include "util/source/thread-stacks.h"

/*
 * Sample all CPUs for some milliseconds, and set the stacks of threads that had none because they ran. Those that were not met stay as they
 * are. own: without rights, only those threads and only in user space, as far as that is allowed. 0 or -errno, with err
 */
int stacks_running__sample(struct thread_stacks *all, struct machine *machine, struct unwinder *unwinder, u32 max_frames, bool own,
			   struct errmsg *err);

#endif
