/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a thread that sleeps in futex(2) waits for, and which thread can end that: by the word itself, or by the mutex of glibc around
 * it. Other libraries do not store who has a lock.
 */
#ifndef PERF_SOURCE_FUTEX_WAIT_H
#define PERF_SOURCE_FUTEX_WAIT_H

#include <stdbool.h>
#include "util/bpf_skel/snapshot.h"
#include "util/lib/task-memory.h"

enum futex_kind {
	FUTEX_KIND_NONE,   /* it waits for no futex */
	FUTEX_KIND_PLAIN,  /* for a condition, a semaphore, a lock without a known owner, and so on */
	FUTEX_KIND_MUTEX,
	FUTEX_KIND_THREAD, /* for the end of a thread */
};

struct futex_wait {
	u64 address;
	u32 owner; /* the tid of that thread, or of the mutex's owner, in its own PID namespace; 0: unknown */
	u8 kind;   /* enum futex_kind */
};

/* By memory alone: the caller checks that there is such a thread. */
void futex_wait__read(struct futex_wait *wait, const struct snapshot_task *task, struct task_memory *memory);

#endif
