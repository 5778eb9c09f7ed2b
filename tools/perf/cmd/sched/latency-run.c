// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sched"

#include <string.h>
#include <unistd.h>
#include "builtin.h"
#include "cmd/sched/latency.h"
#include "util/lib/log.h"

static bool reads_file(const struct sched_latency_options *o, char *const *argv)
{
	if (!o->reading->input)
		return !o->use_bpf && !argv[0] && !sched_latency__has_target(o) && !access("perf.data", F_OK);
	if (o->use_bpf)
		options__refuse_exit("-i and -b exclude each other: -i reads a file, -b watches the system\n");
	if (argv[0])
		options__refuse_exit("-i reads a file and runs no command: leave out \"%s\", or -i\n", argv[0]);
	if (sched_latency__has_target(o))
		options__refuse_exit("-a, --pid and --tid choose what is watched, and -i reads a file: take --filter\n");
	if (o->sched.max_rows != SCHED_MAX_ROWS)
		options__refuse_exit("-M makes room in the kernel, and a recording needs none: leave it out\n");
	return true;
}

static bool is_list_of_ids(const char *word)
{
	return *word && !word[strspn(word, "0123456789,")];
}

/* -p has no argument in other perfs, but for other commands processes follow it: no command has such a name. */
static char **take_pids(struct sched_latency_options *o, char **argv)
{
	const char **pids = &o->recording.opts.run.pids;

	if (!o->by_task || !argv[0] || !is_list_of_ids(argv[0]) || !access(argv[0], F_OK))
		return argv;
	if (*pids)
		options__refuse_exit("  Error: -p %s and --pid %s both name processes: leave out one of them\n", argv[0], *pids);
	*pids = argv[0];
	if (argv[1] && argv[1][0] == '-' && strcmp(argv[1], "--"))
		options__refuse_exit("  Error: give %s before -p %s\n", argv[1], argv[0]);
	return argv[1] && argv[1][0] == '-' ? argv + 2 : argv + 1;
}

static int run(struct sched_latency_options *o, char **argv)
{
	o->rows = sched_rows__new(o->by_task);
	if (!o->rows) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	return reads_file(o, argv) ? sched_latency__read_file(o) : sched_latency__watch(o, argv);
}

int sched_latency__run(struct sched_latency_options *o, int argc, char **argv, const struct option_row *rows, const char *const *usages)
{
	int ret = record_options__parse(&o->recording, argc, argv, rows, usages);

	if (!ret) {
		sched_latency__check(o);
		argv = take_pids(o, argv);
		ret = run(o, argv);
	}
	sched_rows__delete(o->rows);
	kernel_names__delete(o->names);
	record_options__exit(&o->recording);
	return ret;
}
