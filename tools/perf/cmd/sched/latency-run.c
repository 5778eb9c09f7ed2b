// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sched"

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

/* For other commands, -p is followed by one. */
static void refuse_pid(const struct sched_latency_options *o, char *const *argv)
{
	if (o->by_task && argv[0] && !argv[1] && !argv[0][strspn(argv[0], "0123456789,")] && access(argv[0], F_OK))
		options__refuse_exit("  Error: '%s' is no command. -p shows each task in a row of its own, as in other perfs: to watch process %s, "
				     "give --pid %s\n", argv[0], argv[0], argv[0]);
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
		refuse_pid(o, argv);
		ret = run(o, argv);
	}
	sched_rows__delete(o->rows);
	kernel_names__delete(o->names);
	record_options__exit(&o->recording);
	return ret;
}
