/* SPDX-License-Identifier: GPL-2.0 */
/* The table of perf sched latency: one row for each name of tasks, or for each task. */
#ifndef PERF_UI_SCHED_LATENCY_H
#define PERF_UI_SCHED_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "util/source/sched-opts.h"

struct sched_frames { /* names of functions, the innermost first; NULL: unknown. They must outlive the rows */
	u32 nr;
	const char *name[SCHED_MAX_FRAMES];
};

enum sched_sort { SCHED_SORT_AVG, SCHED_SORT_MAX, SCHED_SORT_SWITCH, SCHED_SORT_RUNTIME, SCHED_SORT_PID };
#define SCHED_MAX_SORTS 8

struct sched_rows;

struct sched_rows *sched_rows__new(bool by_task); /* NULL: no memory */
/* Add a task's row. frames: where its longest wait began; NULL: unknown; copied. 0 or -ENOMEM */
int sched_rows__add(struct sched_rows *rows, const struct sched_row *row, const char *comm, const struct sched_frames *frames);
/* Print all rows with waits. 0 or -ENOMEM */
int sched_rows__print(struct sched_rows *rows, const enum sched_sort *key, unsigned int nr_keys, bool stacks, FILE *fp);
void sched_rows__print_histogram(const struct sched_totals *totals, bool linear, FILE *fp);
void sched_rows__delete(struct sched_rows *rows); /* NULL is fine */

#endif
