/* SPDX-License-Identifier: GPL-2.0 */
/* perf sched timehist: each turn of each task on a CPU, and sums of them, of a file, or while they run. */
#ifndef PERF_CMD_SCHED_TIMEHIST_H
#define PERF_CMD_SCHED_TIMEHIST_H

#include "cmd/read/options.h"
#include "ui/sched/timehist.h"

struct timehist_options {
	struct read_options *reading;
	struct timehist_layout layout;
	bool call_graph;  /* -g: the default */
	bool live; /* -a */
	bool summary_only, with_summary, migrations, idle;
	unsigned int max_stack;
	const char *pids, *tids, *cpus, *times, *prios;
};

#define TIMEHIST_OPTIONS_INIT(reading_) { .reading = (reading_), .layout = { .name_width = TIMEHIST_NAME_WIDTH }, .call_graph = true, .max_stack = 5 }

/* argv[0] is the subcommand. Returns the exit status. */
int sched_timehist__run(struct timehist_options *o, int argc, char **argv, const struct option_row *rows, const char *const *usages);

#endif
