/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of samples taken in the scheduler, under a lock or by a BPF program begin with the same few functions of the kernel. Their
 * number depends on the kernel and its compiler, so they are identified by name.
 */
#ifndef PERF_CALLCHAIN_SKIP_FRAMES_H
#define PERF_CALLCHAIN_SKIP_FRAMES_H

#include "util/callchain/callchain.h"
#include "util/lib/errmsg.h"

enum skip_class { /* bits */
	SKIP_BPF = 1 << 0,   /* programs, trampolines, and what calls them from tracepoints */
	SKIP_SCHED = 1 << 1, /* task switches, and waiting for a time */
	SKIP_LOCK = 1 << 2,  /* mutexes, semaphores, spin locks */
};

/* Parse some of "bpf,sched,lock" into bits. 0 or -EINVAL. */
int skip_frames__parse(const char *list, u32 *classes, struct errmsg *err);

/* How many of the innermost frames are kernel frames of these classes; never all of them. */
u32 skip_frames__leading(const struct callchain *chain, u32 classes);

#endif
