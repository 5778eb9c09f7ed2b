/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of each event in each thread, from the READ records of 'perf record -s'. */
#ifndef PERF_CMD_REPORT_THREADS_H
#define PERF_CMD_REPORT_THREADS_H

#include "util/session/session.h"

struct thread_counts;

struct thread_counts *thread_counts__new(u32 nr_events);
void thread_counts__delete(struct thread_counts *counts); /* NULL is fine */

/* Add a READ record of that event. 0 or -ENOMEM. */
int thread_counts__add(struct thread_counts *counts, const struct session_event *event, const struct record_read *read);

/* One line per thread; raw: one per thread and event. */
void thread_counts__fprintf(const struct thread_counts *counts, FILE *fp, struct session *s, bool raw);

#endif
