// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stacks"

#include "builtin.h"

#include <stdlib.h>
#include <string.h>
#include "cmd/stacks/options.h"
#include "util/lib/log.h"

static struct stacks_options options = STACKS_OPTIONS_INIT;

static const char *const stacks_usage[] = {
	"perf stacks [<options>]",
	NULL,
};

static const struct option_row stacks_options[] = {
	OPT_GROUP("Whose stacks"),
	OPT_BOOL('a', "all-cpus", &options.run.system_wide, "show all tasks (default without -p, -t and -u)"),
	OPT_STRING('p', "pid", &options.run.pids, "pid", "show these processes"),
	OPT_STRING('t', "tid", &options.run.tids, "tid", "show these threads"),
	OPT_STRING('u', "uid", &options.user, "user", "show all tasks of this user"),
	OPT_STRING(0, "filter", &options.filter, "filter", "show tasks that the filter accepts. See perf help filter"),
	OPT_GROUP("When"),
	OPT_U64_FROM_1('n', "snapshots", &options.nr, "n", "take this many snapshots (1)"),
	OPT_UINT('i', "interval", &options.interval, "ms", "begin one every n milliseconds (1000)"),
	OPT_GROUP("What is shown"),
	OPT_STRING('o', "output", &options.path, "file", "write stacks to this perf.data, in place of printing them (-: standard output)"),
	OPT_BOOL(0, "deadlocks", &options.deadlocks, "show only threads that wait for one another for ever"),
	OPT_UINT(0, "max-stack", &options.max_stack, "frames", "show at most this many frames in user space (511)"),
	OPT_BOOL(0, "inline", &options.inlined, "show inlined functions as frames (default)"),
	OPT_BOOL(0, "srcline", &options.source_lines, "show the source line of each frame"),
	OPT_BOOL(0, "json", &options.json, "print JSON"),
	OPT_BOOL(0, "folded", &options.profile.folded, "print lines of stacks with their numbers of threads, for flame graphs"),
	OPT_STRING(0, "flamegraph", &options.profile.flamegraph, "file", "write a flame graph, an HTML page, too"),
	OPT_INCR('v', "verbose", &options.verbose, "show the ids of all threads, and more messages"),
	OPT_BOOL('q', "quiet", &options.quiet, "print no notes"),
	OPT_END(),
};

int cmd_stacks(int argc, char **argv)
{
	const int nr_words = argc;
	const char **words = malloc((argc + 1) * sizeof(*words)); /* the parser reorders them */
	int ret;

	if (!words) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	memcpy(words, argv, (argc + 1) * sizeof(*words));
	options__parse(argc, argv, stacks_options, stacks_usage, true);
	log__set_verbosity(options.verbose);
	log__set_quiet(options.quiet);
	ret = stacks_options__run(&options, argv, nr_words, words);
	free(words);
	return ret;
}
