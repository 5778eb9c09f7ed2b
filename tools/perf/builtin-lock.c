// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "lock"

#include "builtin.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/lock/file.h"
#include "cmd/lock/options.h"
#include "cmd/record/callgraph.h"
#include "util/lib/log.h"
#include "util/lib/types.h"

static struct lock_options options = LOCK_OPTIONS_INIT;

#define LOCK_TABLE_OPTIONS(o) \
	OPT_STRING(0, "output", &(o).path, "file", "write the table to this file, not to the standard error"), \
	OPT_BOOL('q', "quiet", &(o).recording.quiet, "print neither a header nor notes"), \
	OPT_INCR('v', "verbose", &(o).recording.verbose, "show the stack of each row")

#define LOCK_READ_OPTIONS(o) \
	OPT_STRING('i', "input", &(o).reading.input, "file", "read this recording of perf lock record; - is the standard input (perf.data)"), \
	OPT_BOOL('f', "force", &(o).reading.force, "read files of other users, which is always done"), \
	OPT_STRING(0, "vmlinux", &(o).reading.vmlinux, "file", "take the kernel's symbols from this ELF file"), \
	OPT_STRING(0, "kallsyms", &(o).reading.kallsyms, "file", "take the kernel's symbols from this copy of /proc/kallsyms"), \
	OPT_STRING(0, "symfs", &(o).reading.symfs, "directory", "look for modules and vmlinux below this directory")

static const char *const contention_usage[] = {
	"perf lock contention [<options>] [<command>]",
	"perf lock contention [<options>] -- <command> [<options>]",
	NULL,
};

static const struct option_row contention_options[] = {
	OPT_GROUP("What is shown"),
	OPT_BOOL('t', "threads", &options.by_task, "show tasks, not callers"),
	OPT_BOOL('l', "lock-addr", &options.by_lock, "show locks"),
	OPT_BOOL(0, "lock-cgroup", &options.by_cgroup, "show cgroups"),
	OPT_BOOL('o', "lock-owner", &options.by_owner, "show who holds the locks, not who waits: callers, or with -t tasks"),
	OPT_CALLBACK_OF('k', "key", &options, "number", "sort by contended, wait_total, wait_max, wait_min or avg_wait (wait_total)",
			lock_options__parse_key, lock_options__list_numbers),
	OPT_CALLBACK_OF('F', "field", &options, "list", "show these numbers (contended,wait_total,wait_max,avg_wait)", lock_options__parse_fields,
			lock_options__list_numbers),
	OPT_UINT('E', "entries", &options.output.max_rows, "n", "show this many rows"),
	OPT_UINT(0, "max-stack", &options.max_stack, "frames", "with -v, show at most this many frames of a stack (8)"),
	OPT_INT(0, "stack-skip", &options.skip, "frames", "skip this many frames before the caller, not all that belong to locks"),
	OPT_STRING('x', "field-separator", &options.output.separator, "text", "separate fields by this, and print times in ns"),
	OPT_BOOL(0, "json", &options.as_json, "print JSON, to the standard output"),
	OPT_CALLBACK_FLAGS(0, "folded", &options.stacks.folded, "samples", "instead of a table print lines of stacks with the sums of their waits, or with "
			   "numbers of waits, for flame graphs", read_options__parse_folded, OPTION_OPTARG),
	OPT_STRING(0, "flamegraph", &options.stacks.flamegraph, "file", "write a flame graph, an HTML page, too"),
	OPT_STRING('w', "write", &options.write, "file", "write the waits to this file, too, for perf report and perf script"),
	OPT_CALLBACK('I', "interval", &options.output.interval, "ms", "print a table every n milliseconds, not only at the end",
		     record_options__parse_interval),
	LOCK_TABLE_OPTIONS(options),
	OPT_BOOL(0, "user-callers", &options.locks.user_stacks, "show callers in user space, not in the kernel"),
	OPT_GROUP("Who is watched"),
	OPT_BOOL('a', "all-cpus", &options.recording.opts.run.system_wide, "watch all tasks on all CPUs (default without a command, ids and perf.data)"),
	OPT_STRING('C', "cpu", &options.recording.opts.run.cpus, "cpu", "watch all tasks on these CPUs"),
	OPT_STRING('p', "pid", &options.recording.opts.run.pids, "pid", "watch these running processes"),
	OPT_STRING(0, "tid", &options.recording.opts.run.tids, "tid", "watch these running threads"),
	OPT_CALLBACK('u', "uid", &options.recording, "user", "watch all tasks of this user", record_options__parse_user),
	OPT_GROUP("Which waits count"),
	OPT_BOOL(0, "futex", &options.locks.futexes, "count waits for locks of user space, not for those of the kernel"),
	OPT_CALLBACK_OF('Y', "type-filter", &options, "list", "count waits for these types of locks", lock_options__parse_types,
			lock_options__list_types),
	OPT_CALLBACK('L', "lock-filter", &options, "list", "count waits for these locks: addresses, names as -l prints them, or variables", lock_options__parse_locks),
	OPT_CALLBACK('S', "callstack-filter", &options, "list", "count waits with one of these in the name of a function on the stack",
		     lock_options__parse_substring),
	OPT_STRING('G', "cgroup-filter", &options.cgroups, "list", "count waits of tasks in these cgroups"),
	OPT_STRING(0, "filter", &options.filter_text, "filter", "count waits that the filter accepts. See perf help filter"),
	OPT_GROUP("How"),
	OPT_BOOL('b', "use-bpf", &options.use_bpf, "watch the system in the kernel, even if there is a perf.data (default with a command or a target)"),
	OPT_UINT('M', "map-nr-entries", &options.locks.max_waits, "n", "keep room in the kernel for this many waits and rows (16384)"),
	OPT_REFUSED('J', "inject-delay", "time@lock", 0, "this perf measures waits and never makes tasks hold a lock for longer: leave it out"),
	OPT_CALLBACK(0, "call-graph", &options.recording.opts.attr.callgraph, "mode", "take stacks in user space by tables in BPF: bpf, or by frame "
		     "pointers: fp (bpf, if the kernel can)", record_callgraph__parse),
	RECORD_OPTION_INTERP(options.recording.opts),
	RECORD_OPTION_UNWIND_MEMORY(options.recording.opts),
	OPT_GROUP("Reading a recording"),
	LOCK_READ_OPTIONS(options),
	OPT_END(),
};

static const char *const lock_record_usage[] = {
	"perf lock record [<options of perf record>] [<command>]",
	"perf lock record [<options of perf record>] -- <command> [<options>]",
	NULL,
};

/* Without a subcommand. The options below these lines are those of contention. */
static const char *const lock_usage[] = {
	"perf lock contention [<options>] [<command>]",
	"perf lock record [<options of perf record>] [<command>]",
	"perf lock report [<options>]",
	"perf lock info [<options>]",
	"perf lock script [<options of perf script>]",
	NULL,
};

static const char *const report_usage[] = {
	"perf lock report [<options>]",
	NULL,
};

static const struct option_row report_options[] = {
	OPT_BOOL('t', "threads", &options.by_task, "show tasks, not locks"),
	OPT_CALLBACK_OF('k', "key", &options, "number", "sort by contended, wait_total, wait_max, wait_min or avg_wait (contended)",
			lock_options__parse_key, lock_options__list_numbers),
	OPT_CALLBACK_OF('F', "field", &options, "list", "show these numbers (contended,avg_wait,wait_total,wait_max,wait_min)", lock_options__parse_fields,
			lock_options__list_numbers),
	OPT_UINT('E', "entries", &options.output.max_rows, "n", "show this many rows"),
	OPT_REFUSED('c', "combine-locks", NULL, OPTION_NOARG, "classes of locks are known to lockdep only (CONFIG_LOCKDEP), which this perf does not "
		    "read: leave it out"),
	LOCK_TABLE_OPTIONS(options),
	LOCK_READ_OPTIONS(options),
	OPT_END(),
};

static const char *const info_usage[] = {
	"perf lock info [<options>]",
	NULL,
};

static const struct option_row info_options[] = {
	OPT_BOOL('t', "threads", &options.show_tasks, "show the tasks that waited"),
	OPT_BOOL('m', "map", &options.show_locks, "show the locks that they waited for"),
	LOCK_TABLE_OPTIONS(options),
	LOCK_READ_OPTIONS(options),
	OPT_END(),
};

static int contention(char **argv)
{
	int ret;

	lock_options__check(&options);
	if (lock_file__wanted(&options, argv)) {
		if (!options.reading.input)
			pr_info("reading perf.data: -a watches the running system instead\n");
		return lock_file__run(&options, argv);
	}
	ret = lock_options__settle(&options, argv);
	if (!ret)
		ret = lock_options__begin(&options);
	ret = ret ?: record_options__run(&options.recording, lock_options__finish);
	return options.failed ? EXIT_SETUP : ret;
}

static int parse_and_run(int argc, char **argv, const struct option_row *rows, const char *const *usages, int (*run)(char **argv))
{
	int ret = record_options__parse(&options.recording, argc, argv, rows, usages);

	options.output.quiet = options.recording.quiet;
	ret = ret ?: run(argv);
	lock_options__exit(&options);
	record_options__exit(&options.recording);
	return ret;
}

static int cmd_contention(int argc, char **argv)
{
	return parse_and_run(argc, argv, contention_options, contention_usage, contention);
}

static int read_file(char **argv)
{
	lock_options__check(&options);
	return lock_file__run(&options, argv);
}

static int report(char **argv)
{
	options.by_lock = !options.by_task;
	options.output.name_first = true;
	return read_file(argv);
}

static int cmd_lock_report(int argc, char **argv)
{
	static const enum lock_number columns[] = { LOCK_CONTENDED, LOCK_AVG_WAIT, LOCK_WAIT_TOTAL, LOCK_WAIT_MAX, LOCK_WAIT_MIN };

	memcpy(options.output.columns, columns, sizeof(columns));
	options.output.nr_columns = ARRAY_SIZE(columns);
	options.output.sort = LOCK_CONTENDED;
	return parse_and_run(argc, argv, report_options, report_usage, report);
}

static int info(char **argv)
{
	if (!options.show_tasks && !options.show_locks)
		options.show_tasks = options.show_locks = true;
	options.by_task = true;
	options.output.quiet = true;
	return read_file(argv);
}

static int cmd_lock_info(int argc, char **argv)
{
	return parse_and_run(argc, argv, info_options, info_usage, info);
}

/* perf record with the two tracepoints. The stack is that of who waits, so the end needs none. */
static int cmd_lock_record(int argc, char **argv)
{
	static const char *const first[] = {
		"record", "-m", "1024", "-c", "1", "-e", "lock:contention_begin/call-graph=fp/,lock:contention_end/call-graph=no/",
	};

	return cmd_record_with(first, ARRAY_SIZE(first), argc, argv, lock_record_usage);
}

static const struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the subcommand */
} subcommands[] = {
	{ "contention", cmd_contention },
	{ "record", cmd_lock_record },
	{ "script", cmd_script },
	{ "report", cmd_lock_report },
	{ "info", cmd_lock_info },
};

/* An option that is wrong, or asks for help, has ended perf before. */
static int refuse_without_subcommand(char **argv)
{
	options__refuse_exit("perf lock needs a subcommand before its options. Take perf lock contention\n");
}

/* Names may be shortened, as in other perfs. */
static const struct subcommand *find_subcommand(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++) {
		if (strlen(word) >= 3 && !strncmp(subcommands[i].name, word, strlen(word)))
			return &subcommands[i];
	}
	return NULL;
}

int cmd_lock(int argc, char **argv)
{
	const struct subcommand *found = argc > 1 ? find_subcommand(argv[1]) : NULL;

	if (argc > 1 && !found && argv[1][0] != '-') {
		pr_err("perf lock: '%s' is no subcommand. Take contention, record, report, script or info\n", argv[1]);
		return EXIT_USAGE;
	}
	if (argc == 1)
		options__usage_exit(contention_options, lock_usage);
	return found ? found->run(argc - 1, argv + 1) : parse_and_run(argc, argv, contention_options, lock_usage, refuse_without_subcommand);
}
