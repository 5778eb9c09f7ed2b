/* SPDX-License-Identifier: GPL-2.0 */
/* perf sched map: which task is on which CPU after each switch, of a file. */
#ifndef PERF_CMD_SCHED_MAP_H
#define PERF_CMD_SCHED_MAP_H

#include <stdbool.h>
#include "cmd/read/options.h"

struct sched_map_options {
	struct read_options *reading;
	bool compact, fuzzy;
	const char *color_pids, *color_cpus, *cpus, *names;
};

/* argv[0] is the subcommand. Returns the exit status. */
int sched_map__run(struct sched_map_options *o, int argc, char **argv, const struct option_row *rows, const char *const *usages);

#endif
