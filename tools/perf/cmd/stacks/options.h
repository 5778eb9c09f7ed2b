/* SPDX-License-Identifier: GPL-2.0 */
/* The options of perf stacks, and running it. */
#ifndef PERF_CMD_STACKS_OPTIONS_H
#define PERF_CMD_STACKS_OPTIONS_H

#include "cmd/stacks/live.h"
#include "cmd/stacks/profile.h"
#include "util/lib/options.h"
#include "util/run/run.h"

struct stacks_options {
	struct run_opts run;
	const char *user, *filter;
	u64 nr; /* snapshots */
	unsigned int interval; /* ms */
	unsigned int max_stack;
	bool deadlocks, inlined, source_lines, json, quiet;
	const char *path; /* of the recording; NULL: stacks are printed */
	struct stacks_profile profile;
	int verbose;
};

#define STACKS_OPTIONS_INIT { .nr = 1, .interval = 1000, .max_stack = 511, .inlined = true }

/* Run with the words after the options; words: the whole command line. The exit status */
int stacks_options__run(struct stacks_options *o, char **argv, int nr_words, const char *const *words);

#endif
