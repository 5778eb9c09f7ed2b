// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "stat"

#include "builtin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd/stat/measure.h"
#include "cmd/stat/options.h"
#include "cmd/stat/report.h"
#include "util/lib/log.h"
#include "util/symbol/probe-finder.h"

static struct stat_options options = STAT_OPTIONS_INIT;
static bool affinity;

static const char *const stat_usage[] = {
	"perf stat [<options>] [<command>]",
	"perf stat [<options>] -- <command> [<options>]",
	"perf stat [<options>] record [<options>] [<command>]",
	"perf stat report [<options>]",
	NULL,
};

#define NO_METRICS "this perf has no metrics for particular CPU models: name the events with -e, or take the perf of your distribution"

/* What perf stat report has, too */
#define GROUP_OPTIONS \
	OPT_BOOL('A', "no-aggr", &options.by_set[COUNTER_BY_CPU], "show each CPU"), \
	OPT_BOOL(0, "per-core", &options.by_set[COUNTER_BY_CORE], "show each core"), \
	OPT_BOOL(0, "per-cluster", &options.by_set[COUNTER_BY_CLUSTER], "show each cluster of cores"), \
	OPT_CALLBACK_FLAGS(0, "per-cache", &options, "level", "show each cache of this level, or of the last", stat_options__parse_cache, OPTION_OPTARG), \
	OPT_BOOL(0, "per-die", &options.by_set[COUNTER_BY_DIE], "show each die"), \
	OPT_BOOL(0, "per-socket", &options.by_set[COUNTER_BY_SOCKET], "show each socket"), \
	OPT_BOOL(0, "per-node", &options.by_set[COUNTER_BY_NODE], "show each NUMA node"), \
	OPT_BOOL(0, "per-thread", &options.by_set[COUNTER_BY_THREAD], "show each thread")

#define PRINT_OPTIONS \
	OPT_STRING('x', "field-separator", &options.output.separator, "text", "print CSV with this between the fields"), \
	OPT_BOOL('j', "json-output", &options.output.json, "print JSON"), \
	OPT_BOOL(0, "metric-only", &options.output.metric_only, "print only metrics, a column for each"), \
	OPT_BOOL(0, "hide-zero-events", &options.output.hide_zero, "leave out events that did not happen"), \
	OPT_BOOL('B', "big-num", &options.output.big_num, "separate the digits of large numbers as the locale does (default)"), \
	OPT_STRING('o', "output", &options.path, "file", "print to this file, not to the standard error"), \
	OPT_BOOL(0, "append", &options.append, "append to the file of -o"), \
	OPT_INT(0, "log-fd", &options.log_fd, "fd", "print to this descriptor"), \
	OPT_INCR('v', "verbose", &options.verbose, "show raw counts, and why an event is not supported")

static const struct option_row stat_options_table[] = {
	OPT_GROUP("What is counted"),
	OPT_CALLBACK('e', "event", &options, "event", "count these events, several with commas. See perf list", stat_options__parse_event),
	OPT_CALLBACK_OF('M', "metrics", &options, "list", "count what these metrics need, and show only them", stat_options__parse_metrics,
			stat_options__list_metrics),
	OPT_INCR('d', "detailed", &options.detailed, "count caches, too; -dd and -ddd count more of them"),
	OPT_BOOL(0, "all-user", &options.all_user, "count in user space only, all events"),
	OPT_BOOL(0, "all-kernel", &options.all_kernel, "count in the kernel only, all events"),
	OPT_BOOL('n', "null", &options.null, "count nothing, only measure time"),
	OPT_BOOL('i', "no-inherit", &options.no_inherit, "do not count children and threads that start later"),
	OPT_CALLBACK(0, "filter", &options, "filter", "count only while the filter accepts the task, in BPF. See perf help filter",
		     stat_options__parse_filter),
	OPT_BOOL(0, "bpf-counters", &options.in_bpf, "count in BPF, with counters of CPUs that all perfs of the user share"),
	OPT_GROUP("Who is counted"),
	OPT_BOOL('a', "all-cpus", &options.run.system_wide, "count all tasks on all CPUs (default without a command or ids)"),
	OPT_STRING('C', "cpu", &options.run.cpus, "cpu", "count all tasks on these CPUs"),
	OPT_STRING('p', "pid", &options.run.pids, "pid", "count these running processes"),
	OPT_STRING('t', "tid", &options.run.tids, "tid", "count these running threads"),
	OPT_CALLBACK('u', "uid", &options, "user", "count the tasks that this user runs now, and what they start", stat_options__parse_user),
	OPT_CALLBACK('G', "cgroup", &options, "name", "with -a, count the events before it in this cgroup only; more cgroups with commas",
		     stat_options__parse_cgroups),
	OPT_STRING(0, "for-each-cgroup", &options.each_cgroup, "list", "with -a, count all events in each of these cgroups: names with commas, or a "
		   "regular expression"),
	OPT_GROUP("How counts are added up"),
	GROUP_OPTIONS,
	OPT_BOOL(0, "no-merge", &options.no_merge, "show events of several PMUs one by one, which is always done"),
	OPT_BOOL(0, "no-scale", &options.no_scale, "show counts as they are, without scaling for multiplexing"),
	OPT_GROUP("When"),
	OPT_CALLBACK('r', "repeat", &options, "n", "run the command n times, show means and noise; 0: until a signal", stat_options__parse_runs),
	OPT_BOOL(0, "table", &options.output.single_runs, "with -r, show the time of each run"),
	OPT_STRING(0, "pre", &options.pre, "command", "run this command of the shell before each run"),
	OPT_STRING(0, "post", &options.post, "command", "run this command of the shell after each run"),
	OPT_BOOL('S', "sync", &options.sync, "call sync() before each run"),
	OPT_UINT('I', "interval-print", &options.interval, "ms", "print counts every n milliseconds"),
	OPT_UINT(0, "interval-count", &options.interval_count, "n", "with -I, end after n intervals"),
	OPT_BOOL(0, "interval-clear", &options.output.clear, "with -I, clear the screen before each interval"),
	OPT_BOOL(0, "summary", &options.summary, "with -I, print the sum at the end"),
	OPT_UINT(0, "timeout", &options.timeout, "ms", "end after n milliseconds"),
	OPT_CALLBACK('D', "delay", &options, "ms", "begin to count after n milliseconds, count in spans as in 10-20,30-40 only, or with -1 begin with "
		     "events disabled", stat_options__parse_delay),
	OPT_CALLBACK(0, "control", &options, "fd:n,n|fifo:path,path", "take commands from a descriptor or a fifo: enable, disable, evlist, ping, stop",
		     stat_options__parse_control),
	OPT_GROUP("How it is printed"),
	PRINT_OPTIONS,
	OPT_BOOL(0, "no-csv-summary", &options.no_csv_summary, "with -x, do not begin lines of --summary with \"summary\""),
	OPT_BOOL('q', "quiet", &options.quiet, "print errors only"),
	OPT_BOOL(0, "affinity", &affinity, "do nothing: perf does not move between CPUs to read their counters"),
	OPT_REFUSED(0, "bpf-attr-map", "path", 0, "perfs share counters here without a pinned map (--bpf-counters): leave it out"),
	OPT_REFUSED('T', "transaction", NULL, OPTION_NOARG, NO_METRICS),
	OPT_REFUSED(0, "topdown", NULL, OPTION_NOARG, NO_METRICS),
	OPT_REFUSED(0, "td-level", "n", 0, NO_METRICS),
	OPT_REFUSED(0, "smi-cost", NULL, OPTION_NOARG, NO_METRICS),
	OPT_REFUSED(0, "iostat", "list", OPTION_OPTARG, NO_METRICS),
	OPT_REFUSED('b', "bpf-prog", "id", 0, "this perf does not count what BPF programs do: take the perf of your distribution"),
	OPT_REFUSED(0, "percore-show-thread", NULL, OPTION_NOARG, "this perf has no events for a whole core: take --per-core"),
	OPT_REFUSED('g', "group", NULL, OPTION_NOARG, "name the events of a group in braces: -e '{a,b}'"),
	OPT_REFUSED(0, "metric-no-group", NULL, OPTION_NOARG, "this perf counts the events of metrics one by one: leave it out"),
	OPT_REFUSED(0, "metric-no-merge", NULL, OPTION_NOARG, "this perf counts the events of metrics one by one: leave it out"),
	OPT_REFUSED(0, "metric-no-threshold", NULL, OPTION_NOARG, "this perf has no thresholds of metrics: leave it out"),
	OPT_REFUSED(0, "cputype", "pmu", 0, "name the PMU with the event: -e PMU/EVENT/"),
	OPT_END(),
};

static const char *const report_usage[] = {
	"perf stat report [<options>]",
	NULL,
};

static const char *input;

static const struct option_row report_options_table[] = {
	OPT_STRING('i', "input", &input, "file", "show this recording (stdin if it is a pipe, else perf.data)"),
	GROUP_OPTIONS,
	PRINT_OPTIONS,
	OPT_END(),
};

static int exit_with(int status)
{
	stat_options__exit(&options);
	return status;
}

static int cmd_stat_report(int argc, char **argv)
{
	struct stat st;

	if (options__parse(argc, argv, report_options_table, report_usage, true))
		options__refuse_exit("perf stat report takes no command: perf stat record does\n");
	log__set_verbosity(options.verbose);
	log__set_quiet(options.quiet);
	if (!input)
		input = !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
	return exit_with(stat_options__settle_report(&options) ?: stat_report(&options, input));
}

/* argv: after the options; words: the whole command line, which stays */
static int cmd_stat_record(int argc, char **argv, int nr_words, const char *const *words)
{
	struct stat_recording *recording;
	int ret;

	options.record = true;
	options__parse(argc, argv, stat_options_table, stat_usage, true);
	log__set_verbosity(options.verbose);
	log__set_quiet(options.quiet);
	ret = stat_options__settle(&options, argv);
	if (ret)
		return exit_with(ret);
	recording = stat_recording__new(&options, nr_words, words);
	if (!recording) {
		pr_err("out of memory\n");
		return exit_with(EXIT_SETUP);
	}
	ret = stat_measure(&options, recording);
	stat_recording__delete(recording);
	return exit_with(ret);
}

int cmd_stat(int argc, char **argv)
{
	const int nr_words = argc;
	const char **words = malloc((argc + 1) * sizeof(*words)); /* the parser reorders them */
	int ret;

	options.evlist = evlist__new();
	if (!options.evlist || !words) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	options.evlist->find_probe = probe_finder__find;
	memcpy(words, argv, (argc + 1) * sizeof(*words));
	argc = options__parse(argc, argv, stat_options_table, stat_usage, true);
	log__set_verbosity(options.verbose);
	log__set_quiet(options.quiet);
	if (argc && !strcmp(argv[0], "report"))
		ret = cmd_stat_report(argc, argv);
	else if (argc && !strcmp(argv[0], "record"))
		ret = cmd_stat_record(argc, argv, nr_words, words);
	else
		ret = exit_with(stat_options__settle(&options, argv) ?: stat_measure(&options, NULL));
	free(words);
	return ret;
}
