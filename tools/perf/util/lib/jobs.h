/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work that may be needed soon, begun by other threads on CPUs that would be idle. Each job runs once: in one of them, or in the
 * thread that asks for its result first. So without threads all goes the same way, only later.
 */
#ifndef PERF_LIB_JOBS_H
#define PERF_LIB_JOBS_H

#include "util/lib/types.h"

struct jobs;
struct job;

struct jobs *jobs__new(void); /* NULL: no memory. On one CPU there are no threads. */
/* Waits for what is running; what was not begun will not be. Jobs that were not finished are gone, too. */
void jobs__delete(struct jobs *jobs);

/* arg is run's alone until jobs__finish(). Heavier ones, which take longer, go before others. NULL: no memory. */
struct job *jobs__add(struct jobs *jobs, void (*run)(void *arg), void *arg, u8 weight);
/* Several were added: now threads may take the heaviest. */
void jobs__begin(struct jobs *jobs);
/* It has run when this returns. job is gone then. One thread calls this for all jobs. */
void jobs__finish(struct jobs *jobs, struct job *job);

#endif
