// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "ftrace"

#include "builtin.h"

#include <string.h>
#include "cmd/common/pass-on.h"
#include "cmd/ftrace/latency.h"
#include "cmd/record/watching.h"

static struct latency_options options = LATENCY_OPTIONS_INIT;

static const char *const ftrace_usage[] = {
	"perf ftrace latency [<options>] -T <function> [<command>]",
	"perf ftrace latency [<options>] -e <event>,<event> [<command>]",
	NULL,
};

static const struct option_row latency_options[] = {
	OPT_GROUP("What is measured"),
	OPT_STRING('T', "trace-funcs", &options.function, "function", "measure from each call of this function to its return: of the kernel, or path:function"),
	OPT_STRING('e', "events", &options.events, "event,event[:key[+key...]]", "measure from the first event to the second one with the same key"),
	OPT_STRING(0, "filter", &options.filter_text, "filter", "measure what begins as the filter says. See perf help filter"),
	OPT_BOOL('b', "use-bpf", &options.in_bpf, "measure in BPF (default); --no-use-bpf takes the kernel's function_graph tracer"),
	OPT_UINT(0, "max-starts", &options.histogram.max_starts, "n", "keep room for this many starts that wait for their end (16384)"),
	OPT_GROUP("What is shown"),
	OPT_BOOL('n', "use-nsec", &options.table_opts.in_ns, "show nanoseconds, not microseconds"),
	OPT_U64_FROM_1(0, "bucket-range", &options.table_opts.range, "n", "make buckets of this width, in us or with -n in ns (powers of two)"),
	OPT_U64(0, "min-latency", &options.table_opts.min, "n", "put all times below into the first bucket"),
	OPT_U64(0, "max-latency", &options.table_opts.max, "n", "put all times from here on into the last bucket"),
	OPT_BOOL(0, "hide-empty", &options.table_opts.hide_empty, "show no empty buckets"),
	OPT_BOOL(0, "force", &options.force, "with -T, measure Go programs, too, although that may end them"),
	OPT_U64_FROM_1(0, "stack-over", &options.stack_over, "us", "show the stacks of times of at least this many microseconds"),
	OPT_CALLBACK('I', "interval", &options.interval, "ms", "show a histogram every n milliseconds, too", record_options__parse_interval),
	OPT_GROUP("Who is measured"),
	OPT_BOOL('a', "all-cpus", &options.recording.opts.run.system_wide, "measure all tasks on all CPUs (default without a command or ids)"),
	OPT_STRING('C', "cpu", &options.recording.opts.run.cpus, "cpu", "measure all tasks on these CPUs"),
	OPT_STRING('p', "pid", &options.recording.opts.run.pids, "pid", "measure these running processes"),
	OPT_STRING(0, "tid", &options.recording.opts.run.tids, "tid", "measure these running threads"),
	OPT_BOOL('i', "no-inherit", &options.recording.opts.no_inherit, "leave out children and threads that start later"),
	OPT_INCR('v', "verbose", &options.recording.verbose, "tell more about the set-up"),
	OPT_BOOL('q', "quiet", &options.recording.quiet, "print errors only"),
	OPT_END(),
};

/* Other perfs have more: trace, which is what they do if there are options only, and profile. */
static bool is_for_others(const char *word)
{
	static const char *const ours[] = { "latency", "-h", "--help", "--list-opts" };

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		if (!strcmp(word, ours[i]))
			return false;
	}
	return true;
}

int cmd_ftrace(int argc, char **argv)
{
	int ret;

	if (argc == 1)
		options__usage_exit(latency_options, ftrace_usage);
	if (is_for_others(argv[1]))
		return pass_on(argv - 1);
	if (!strcmp(argv[1], "latency")) {
		argc--;
		argv++;
	}
	ret = record_options__parse(&options.recording, argc, argv, latency_options, ftrace_usage);
	ret = ret ?: latency_options__settle(&options, argv);
	ret = ret ?: watching__run(&options.recording, argv, NULL, latency_options__finish);
	latency_options__exit(&options);
	record_options__exit(&options.recording);
	return ret;
}
