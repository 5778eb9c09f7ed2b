/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work that may be needed soon, started by other threads on CPUs that would be idle. Each job runs once: in one of them, or in the
 * thread that needs its result first. So without threads everything works the same, only later.
 */
#ifndef PERF_LIB_JOBS_H
#define PERF_LIB_JOBS_H

#include "util/lib/types.h"

struct jobs;
struct job;

struct jobs *jobs__new(void); /* NULL: no memory. On one CPU there are no threads. */
/* Waits for running jobs; drops the others. Unfinished jobs are freed, too. */
void jobs__delete(struct jobs *jobs);

/* run owns arg until jobs__finish(). Heavier jobs, which take longer, run first. NULL: no memory. */
struct job *jobs__add(struct jobs *jobs, void (*run)(void *arg), void *arg, u8 weight);
/* Call it after adding several: now threads may take the heaviest. */
void jobs__begin(struct jobs *jobs);
/* Returns when job has run, and frees it. One thread calls this for all jobs. */
void jobs__finish(struct jobs *jobs, struct job *job);

#endif
