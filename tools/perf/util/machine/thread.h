/* SPDX-License-Identifier: GPL-2.0 */
/* The threads of a machine by tid, and their interned command names. */
#ifndef PERF_MACHINE_THREAD_H
#define PERF_MACHINE_THREAD_H

#include "util/machine/machine.h"

struct threads {
	struct thread_node *by_tid;
	struct thread_node *replaced; /* whose tid went to another thread; samples and entries may still point at them */
	struct thread_node *recent[256]; /* found lately, by the last bits of their tid */
	struct comm_name *comms;
};

void threads__exit(struct threads *threads);

/* Those that have a tid at present, until cb returns something else than 0, which is returned then. */
int threads__for_each(struct threads *threads, int (*cb)(const struct thread *thread, void *data), void *data);
/* NULL: not known */
struct thread *threads__find(struct threads *threads, u32 tid);
/* Find, or make one: a thread of a known process shares its leader's maps. NULL: -ENOMEM. */
struct thread *threads__get(struct threads *threads, u32 pid, u32 tid);
/* A new thread that took over the tid from whoever had it. */
struct thread *threads__fork(struct threads *threads, u32 pid, u32 tid, struct thread *parent, bool clone_maps);
int threads__set_comm(struct threads *threads, struct thread *thread, const char *comm);

#endif
