/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many of the recorded tasks run at a time, by their context switches, samples and ends. A task that ran before its first switch was
 * recorded counts from its first sample on.
 */
#ifndef PERF_CMD_REPORT_PARALLELISM_H
#define PERF_CMD_REPORT_PARALLELISM_H

#include "util/session/session.h"

struct parallelism;

/* -ENODATA: the recording has no context switches. */
int parallelism__new(struct session *s, struct parallelism **p, struct errmsg *err);
void parallelism__delete(struct parallelism *p); /* NULL is fine */
/* Do the file's events record context switches? */
bool parallelism__is_recorded(struct session *s);

/* In the order of time: a record with its sample_id, and a sample of a task. */
void parallelism__take_record(struct parallelism *p, const union perf_record *record, const struct perf_sample *id);
/* Returns how many tasks ran when the sample was taken, at least 1; 0, not known: the sample is of a sleep (off-CPU time). */
u32 parallelism__take_sample(struct parallelism *p, const struct session_sample *sample);

#endif
