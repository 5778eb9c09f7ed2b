// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sched"

#include "builtin.h"

#include <stdlib.h>
#include <string.h>
#include "cmd/common/pass-on.h"
#include "cmd/sched/latency.h"
#include "cmd/sched/map.h"
#include "cmd/sched/record.h"
#include "cmd/sched/timehist.h"
#include "util/lib/log.h"
#include "util/lib/types.h"

static struct read_options reading = READ_OPTIONS_INIT(NULL);
static struct sched_latency_options latency = SCHED_LATENCY_OPTIONS_INIT(&reading);
static struct timehist_options timehist = TIMEHIST_OPTIONS_INIT(&reading);
static struct sched_map_options map = { .reading = &reading };

#define READING_OPTIONS(verbosity) \
	OPT_GROUP("Reading a recording"), \
	OPT_STRING('i', "input", &reading.input, "file", "read this recording of perf sched record; - is the standard input (perf.data)"), \
	OPT_BOOL('f', "force", &reading.force, "read files of other users, which is always done"), \
	OPT_INCR('v', "verbose", &(verbosity), "print more messages"), \
	OPT_REFUSED('D', "dump-raw-trace", NULL, OPTION_NOARG, "take perf script -D to show the records of a file")

static const char *const latency_usage[] = {
	"perf sched latency [<options>] [<command>]",
	"perf sched latency [<options>] -- <command> [<options>]",
	NULL,
};

static const struct option_row latency_options[] = {
	OPT_GROUP("What is shown"),
	OPT_CALLBACK_OF('s', "sort", &latency, "keys", "sort by these: avg, max, switch, runtime, pid (avg,max,switch,runtime)",
			sched_latency__parse_sort, sched_latency__list_sorts),
	OPT_BOOL('p', "pids", &latency.by_task, "show each task, not the sums of those with the same name; -p PID,... watches these processes"),
	OPT_BOOL('H', "histogram", &latency.histogram, "show a histogram of all waits, too"),
	OPT_STRING_OF(0, "hist-mode", &latency.hist_mode, "log|linear", "show a histogram with buckets of powers of two, or of 100 us",
		      sched_latency__list_modes),
	OPT_BOOL('g', "call-graph", &latency.sched.stacks, "show who had the CPU before the longest wait ended, and where the task had left its own"),
	OPT_STRING('C', "CPU", &latency.recording.opts.run.cpus, "cpu", "count waits that end on these CPUs, and runtime there"),
	OPT_STRING(0, "filter", &latency.filter_text, "filter", "count waits that the filter accepts, and the turns that follow them. See perf help "
		   "filter"),
	OPT_BOOL('q', "quiet", &latency.recording.quiet, "print no notes"),
	OPT_GROUP("Watching the system"),
	OPT_BOOL('b', "use-bpf", &latency.use_bpf, "watch the system in the kernel, even if there is a perf.data (default with a command or a target)"),
	OPT_BOOL('a', "all-cpus", &latency.recording.opts.run.system_wide, "watch all tasks (default without a command, ids and perf.data)"),
	OPT_STRING(0, "pid", &latency.recording.opts.run.pids, "pid", "watch these running processes"),
	OPT_STRING(0, "tid", &latency.recording.opts.run.tids, "tid", "watch these running threads"),
	OPT_UINT('M', "map-nr-entries", &latency.sched.max_rows, "n", "keep room in the kernel for this many tasks (16384)"),
	READING_OPTIONS(latency.recording.verbose),
	OPT_STRING(0, "time", &latency.times, "range,...", "show only this time: from,to in seconds, 10%/2 (the second tenth) or 10%-40%"),
	OPT_STRING(0, "vmlinux", &reading.vmlinux, "file", "take the kernel's symbols from this ELF file"),
	OPT_STRING(0, "kallsyms", &reading.kallsyms, "file", "take the kernel's symbols from this copy of /proc/kallsyms"),
	OPT_STRING(0, "symfs", &reading.symfs, "directory", "look for modules and vmlinux below this directory"),
	OPT_END(),
};

static const char *const timehist_usage[] = {
	"perf sched timehist [<options>] [<command>]",
	"perf sched timehist [<options>] -- <command> [<options>]",
	NULL,
};

static const struct option_row timehist_options[] = {
	OPT_GROUP("What is shown"),
	OPT_BOOL('s', "summary", &timehist.summary_only, "show a summary by task only"),
	OPT_BOOL('S', "with-summary", &timehist.with_summary, "show a summary by task, too"),
	OPT_BOOL('w', "wakeups", &timehist.layout.wakeups, "show wakings, too"),
	OPT_BOOL('n', "next", &timehist.layout.next, "show which task gets the CPU next"),
	OPT_BOOL('M', "migrations", &timehist.migrations, "show moves to other CPUs, too"),
	OPT_BOOL('V', "cpu-visual", &timehist.layout.visual, "show a column for each CPU"),
	OPT_BOOL('I', "idle-hist", &timehist.idle, "show only when CPUs are idle, and after which tasks"),
	OPT_BOOL(0, "state", &timehist.layout.state, "show the state in which tasks leave their CPU; in the summary, what they waited for"),
	OPT_BOOL(0, "show-prio", &timehist.layout.prio, "show the priorities of tasks"),
	OPT_BOOL('P', "pre-migrations", &timehist.layout.pre_migrations, "show the time that tasks waited before they moved to another CPU"),
	OPT_BOOL('g', "call-graph", &timehist.call_graph, "show where tasks leave their CPU, if the file has callchains (default)"),
	OPT_UINT(0, "max-stack", &timehist.max_stack, "frames", "show this many functions of a callchain (5)"),
	OPT_GROUP("Which turns are shown"),
	OPT_BOOL('a', "all-cpus", &timehist.live, "watch all tasks now, until the command ends or Ctrl+C"),
	OPT_STRING('p', "pid", &timehist.pids, "pid,...", "show these processes"),
	OPT_STRING('t', "tid", &timehist.tids, "tid,...", "show these threads"),
	OPT_STRING('C', "cpu", &timehist.cpus, "cpu", "show these CPUs"),
	OPT_STRING(0, "prio", &timehist.prios, "prio,...", "show tasks of these priorities, as 0,120-129"),
	OPT_STRING(0, "time", &timehist.times, "range", "show only this time: from,to in seconds, 10%/2 (the second tenth) or 10%-40%"),
	READING_OPTIONS(reading.verbose),
	OPT_STRING('k', "vmlinux", &reading.vmlinux, "file", "take the kernel's symbols from this ELF file"),
	OPT_STRING(0, "kallsyms", &reading.kallsyms, "file", "take the kernel's symbols from this copy of /proc/kallsyms"),
	OPT_STRING(0, "symfs", &reading.symfs, "directory", "look for programs, libraries, modules and vmlinux below this directory"),
	OPT_END(),
};

static const char *const map_usage[] = {
	"perf sched map [<options>]",
	NULL,
};

static const struct option_row map_options[] = {
	OPT_BOOL(0, "compact", &map.compact, "show only CPUs that had a switch, in that order"),
	OPT_STRING(0, "cpus", &map.cpus, "cpus", "show the switches of these CPUs"),
	OPT_STRING(0, "task-name", &map.names, "name,...", "show the switches of tasks with these names"),
	OPT_BOOL(0, "fuzzy-name", &map.fuzzy, "let --task-name match parts of names"),
	OPT_STRING(0, "color-cpus", &map.color_cpus, "cpus", "highlight these CPUs, on a terminal"),
	OPT_STRING(0, "color-pids", &map.color_pids, "tids", "highlight these tasks, on a terminal"),
	READING_OPTIONS(reading.verbose),
	OPT_END(),
};

static const char *const record_usage[] = {
	"perf sched record [<options of perf record>] [<command>]",
	"perf sched record [<options of perf record>] -- <command> [<options>]",
	NULL,
};

static int cmd_latency(int argc, char **argv)
{
	latency.recording.verbose = reading.verbose; /* -v before the subcommand */
	return sched_latency__run(&latency, argc, argv, latency_options, latency_usage);
}

static int cmd_sched_record(int argc, char **argv)
{
	if (reading.input)
		options__refuse_exit("-i names a file to read, and perf sched record writes one: give it -o\n");
	return sched_record(argc, argv, record_usage);
}

static int cmd_timehist(int argc, char **argv)
{
	return sched_timehist__run(&timehist, argc, argv, timehist_options, timehist_usage);
}

static int cmd_map(int argc, char **argv)
{
	return sched_map__run(&map, argc, argv, map_options, map_usage);
}

/* -i may come before the subcommand. */
static int cmd_sched_script(int argc, char **argv)
{
	char **words = calloc(argc + 3, sizeof(*words));
	int nr = 0, ret;

	if (!words) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	words[nr++] = argv[0];
	if (reading.input) {
		words[nr++] = (char *)"-i";
		words[nr++] = (char *)reading.input;
	}
	memcpy(words + nr, argv + 1, (argc - 1) * sizeof(*words));
	ret = cmd_script(nr + argc - 1, words);
	free(words);
	return ret;
}

static const char *const sched_usage[] = {
	"perf sched [<options>] record [<options of perf record>] [<command>]",
	"perf sched [<options>] latency [<options>] [<command>]",
	"perf sched [<options>] timehist [<options>] [<command>]",
	"perf sched [<options>] map [<options>]",
	"perf sched [<options>] script [<options of perf script>]",
	"perf sched replay|stats ...",
	NULL,
};

/* Before the subcommand */
static const struct option_row sched_options[] = {
	READING_OPTIONS(reading.verbose),
	OPT_END(),
};

static const struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the subcommand. NULL: other perfs do it */
	bool whole; /* its name may not be shortened */
} subcommands[] = {
	{ "record", cmd_sched_record, false },
	{ "latency", cmd_latency, false },
	{ "timehist", cmd_timehist, true },
	{ "map", cmd_map, true },
	{ "script", cmd_sched_script, true },
	{ "replay", NULL, false },
	{ "stats", NULL, true },
};

/* Names may be shortened, as in other perfs; "rec" and "rep" differ. */
static const struct subcommand *find_subcommand(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++) {
		const struct subcommand *s = &subcommands[i];

		if (s->whole ? !strcmp(s->name, word) : strlen(word) > 2 && !strncmp(s->name, word, strlen(word)))
			return s;
	}
	return NULL;
}

/* The index of the subcommand: options before it may have an argument. */
static int find_word(int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1])
		i += !strcmp(argv[i], "-i") || !strcmp(argv[i], "--input") ? 2 : 1;
	return i;
}

int cmd_sched(int argc, char **argv)
{
	const int at = find_word(argc, argv);
	const struct subcommand *found = at < argc ? find_subcommand(argv[at]) : NULL;
	char *word = at < argc ? argv[at] : NULL;

	if (found && !found->run)
		return pass_on(argv - 1);
	if (!found && word && !options__ask_for_list(argc, argv)) {
		pr_err("perf sched: '%s' is no subcommand. Take record, latency, timehist, map, script, replay or stats\n", word);
		return EXIT_USAGE;
	}
	if (!found || at > 1)
		options__parse(found ? at : argc, argv, sched_options, sched_usage, true);
	if (!found)
		options__usage_exit(sched_options, sched_usage);
	argv[at] = word;
	return found->run(argc - at, argv + at);
}
