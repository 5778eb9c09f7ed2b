/* SPDX-License-Identifier: GPL-2.0 */
/* The threads of a machine by tid, and their interned command names. */
#ifndef PERF_MACHINE_THREAD_H
#define PERF_MACHINE_THREAD_H

#include "util/lib/arena.h"
#include "util/machine/machine.h"

struct threads {
	struct thread_node *by_tid;
	struct thread_node *recent[256]; /* cache of the latest look-ups, indexed by the last bits of their tid */
	struct comm_name *comms;
	struct arena arena; /* of all threads: samples and entries may point to those whose tid was taken over, too */
};

void threads__exit(struct threads *threads);

/* Call cb for threads that currently have a tid until it returns non-zero; returns that value. */
int threads__for_each(struct threads *threads, int (*cb)(const struct thread *thread, void *data), void *data);
/* NULL: unknown */
struct thread *threads__find(struct threads *threads, u32 tid);
/* Find or create it: a thread of a known process shares its leader's maps. NULL: -ENOMEM. */
struct thread *threads__get(struct threads *threads, u32 pid, u32 tid);
/* Create a thread that takes over the tid from any earlier thread. */
struct thread *threads__fork(struct threads *threads, u32 pid, u32 tid, struct thread *parent, bool clone_maps);
int threads__set_comm(struct threads *threads, struct thread *thread, const char *comm);

#endif
