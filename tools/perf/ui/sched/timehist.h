/* SPDX-License-Identifier: GPL-2.0 */
/* The text of perf sched timehist: a line for each turn on a CPU, and the summary. */
#ifndef PERF_UI_SCHED_TIMEHIST_H
#define PERF_UI_SCHED_TIMEHIST_H

#include <stdbool.h>
#include <stdio.h>
#include "ui/sched/latency.h"
#include "util/lib/types.h"

struct timehist_layout {
	bool visual, prio, pre_migrations, state, next, wakeups, stacks;
	u32 nr_cpus;
	int name_width; /* grows with the names that are printed */
};
#define TIMEHIST_NAME_WIDTH 30

struct timehist_task {
	const char *comm;
	u32 tid, pid; /* pid 0: the idle task, (u32)-1: unknown */
};

struct timehist_line {
	u64 time;
	u32 cpu;
	struct timehist_task task;
	u64 wait, delay, run, pre_migration; /* ns */
	s32 prio_in, prio_out; /* -1: unknown */
	char state;
	struct timehist_task next;
	const struct sched_frames *frames; /* NULL: none */
};

struct timehist_sums { /* of one task, or of the idle time after it */
	struct timehist_task task;
	u32 ppid; /* (u32)-1: unknown */
	u64 nr, run, min, max;
	double mean, deviation; /* ns; of the mean */
	u64 sleep, iowait, preempt, delay, migrations;
};

void timehist__print_header(const struct timehist_layout *l);
void timehist__print_line(struct timehist_layout *l, const struct timehist_line *line);
void timehist__print_wakeup(struct timehist_layout *l, u64 time, u32 cpu, const struct timehist_task *by, const struct timehist_task *woken);
void timehist__print_migration(struct timehist_layout *l, u64 time, u32 cpu, const struct timehist_task *by, const struct timehist_task *moved,
			       u32 from, u32 to);
/* idle: the sums are of idle times */
void timehist__print_summary_header(struct timehist_layout *l, bool idle);
void timehist__print_sums(struct timehist_layout *l, const struct timehist_sums *sums);
/* "%*lu.%03lu ", ms and us */
void timehist__print_time(u64 ns, int width);
void timehist__print_frames(const struct sched_frames *frames);

#endif
