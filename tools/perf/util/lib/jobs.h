/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work that may be needed soon, begun by other threads on CPUs that would be idle. Each job runs once: in one of them, or in the
 * thread that asks for its result first. So without threads all goes the same way, only later.
 */
#ifndef PERF_LIB_JOBS_H
#define PERF_LIB_JOBS_H

#include <stdbool.h>
#include "util/lib/types.h"

struct jobs;
struct job;

struct jobs *jobs__new(void); /* NULL: no memory. The threads come with the first job; on one CPU there are none. */
/* Waits for what is running; what was not begun will not be. Jobs that were not finished are gone, too. */
void jobs__delete(struct jobs *jobs);

/* arg is run's alone until jobs__finish(). first: it may take longer than others, and goes before them. NULL: no memory. */
struct job *jobs__add(struct jobs *jobs, void (*run)(void *arg), void *arg, bool first);
/* It has run when this returns. job is gone then. One thread calls this for all jobs. */
void jobs__finish(struct jobs *jobs, struct job *job);

#endif
