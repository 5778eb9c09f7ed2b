// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "trace"

#include "builtin.h"

#include <string.h>
#include "cmd/record/callgraph.h"
#include "cmd/record/timing.h"
#include "cmd/trace/file.h"
#include "cmd/trace/options.h"

static struct trace_options options = TRACE_OPTIONS_INIT;

static const char *const trace_usage[] = {
	"perf trace [<options>] [<command>]",
	"perf trace [<options>] -- <command> [<options>]",
	NULL,
};

static const struct option_row trace_options[] = {
	OPT_GROUP("Which calls are shown"),
	OPT_CALLBACK_OF('e', "expr", &options, "list", "trace these system calls, * and ? match; !list: all others", trace_options__parse_calls,
			trace_options__list_calls),
	OPT_CALLBACK_FLAGS_OF(0, "event", &options, "list", "the same", trace_options__parse_calls, OPTION_HIDDEN, trace_options__list_calls),
	OPT_CALLBACK_OF('F', "pf", &options, "kind", "trace page faults: all, maj or min", trace_options__parse_faults, trace_options__list_faults),
	OPT_CALLBACK_FLAGS(0, "syscalls", &options, NULL, "trace system calls, too (default unless -e or -F names other things)",
			   trace_options__parse_syscalls, OPTION_NOARG),
	OPT_STRING(0, "filter", &options.filter_text, "filter", "trace calls that the filter accepts. See perf help filter"),
	OPT_STRING(0, "duration", &options.duration, "ms", "trace calls that take at least this long"),
	OPT_BOOL(0, "failure", &options.failed_only, "trace calls that fail"),
	OPT_STRING('G', "cgroup", &options.cgroups, "list", "trace calls of tasks in these cgroups"),
	OPT_STRING(0, "filter-pids", &options.filter_pids, "list", "trace no calls of these processes and threads"),
	OPT_U64_FROM_1(0, "max-events", &options.max_events, "n", "end after this many lines"),
	OPT_GROUP("What is shown of them"),
	OPT_BOOL('s', "summary", &options.sums_only, "show sums for each call, no lines"),
	OPT_BOOL('S', "with-summary", &options.with_sums, "show sums after the lines"),
	OPT_STRING(0, "summary-mode", &options.mode, "mode", "sum up by thread (default), by cgroup, or in total"),
	OPT_BOOL(0, "errno-summary", &options.with_errors, "with -s and -S, count each error, too"),
	OPT_UINT(0, "max-summary", &options.max_summary, "n", "show this many rows of each table of sums"),
	OPT_BOOL(0, "bpf-summary", &options.bpf_sums, "do nothing: sums are made in the kernel, except with -i"),
	OPT_U64_FROM_1(0, "string-size", &options.max_bytes, "n", "show this many bytes of each buffer (32)"),
	OPT_BOOL(0, "comm", &options.show_comm, "show the names of tasks (default)"),
	OPT_CALLBACK_OF(0, "call-graph", &options, "mode", "show the callers of each call and event: bpf, dwarf or fp", trace_options__parse_callgraph,
			trace_options__list_callgraphs),
	RECORD_OPTION_INTERP(options.recording.opts),
	OPT_UINT(0, "max-stack", &options.max_stack, "n", "show this many callers at most (127)"),
	OPT_UINT(0, "min-stack", &options.min_stack, "n", "show what has at least this many callers"),
	OPT_BOOL(0, "show-cpu", &options.style.cpu, "show the CPU on which the call ends"),
	OPT_BOOL(0, "sort-events", &options.sorted, "print calls in the order in which they end, which is always done"),
	OPT_BOOL(0, "force-btf", &options.members, "show the members of structs, which is always done"),
	OPT_BOOL(0, "libtraceevent_print", &options.style.traceevent, "show the fields of tracepoints in the words of their formats, as perf script does"),
	OPT_BOOL('T', "time", &options.full_time, "show times of the monotonic clock, not since the first call"),
	OPT_STRING('o', "output", &options.path, "file", "write to this file, not to the standard error"),
	OPT_GROUP("Who is watched"),
	OPT_BOOL('a', "all-cpus", &options.recording.opts.run.system_wide, "trace all tasks on all CPUs (default without a command or ids)"),
	OPT_STRING('C', "cpu", &options.recording.opts.run.cpus, "cpu", "trace all tasks on these CPUs"),
	OPT_STRING('p', "pid", &options.recording.opts.run.pids, "pid", "trace these running processes"),
	OPT_STRING('t', "tid", &options.recording.opts.run.tids, "tid", "trace these running threads"),
	OPT_CALLBACK('u', "uid", &options.recording, "user", "trace all tasks of this user", record_options__parse_user),
	OPT_GROUP("How"),
	OPT_CALLBACK('D', "delay", &options.recording.opts, "ms", "begin to trace after this time; from-to,...: trace in these spans only",
		     record_timing__parse_delay),
	OPT_BOOL(0, "no-inherit", &options.recording.opts.no_inherit, "do not trace children and threads that start later"),
	RECORD_OPTIONS_BUFFERS(options.recording),
	OPT_REFUSED(0, "kernel-syscall-graph", NULL, OPTION_NOARG, "stacks of system calls are those of the program: leave it out"),
	OPT_REFUSED(0, "switch-on", "event", 0, "take --filter"),
	OPT_REFUSED(0, "switch-off", "event", 0, "take --filter"),
	OPT_REFUSED(0, "proc-map-timeout", "ms", 0, "this perf trace reads no memory maps: leave it out"),
	OPT_REFUSED(0, "sched", NULL, OPTION_NOARG, "this perf trace shows no run times: take perf record -e sched:sched_stat_runtime"),
	OPT_GROUP("Reading a recording"),
	OPT_STRING('i', "input", &options.reading.input, "file", "read this recording of perf trace record; - is the standard input"),
	OPT_BOOL('f', "force", &options.reading.force, "read files of other users, which is always done"),
	OPT_INCR('v', "verbose", &options.recording.verbose, "tell more about the set-up"),
	OPT_END(),
};

int cmd_trace(int argc, char **argv)
{
	int ret;

	ret = record_options__parse(&options.recording, argc, argv, trace_options, trace_usage);
	if (!ret && argv[0] && !strcmp(argv[0], "record")) {
		for (argc = 0; argv[argc]; argc++)
			;
		ret = trace_file__record(&options, argc, argv);
		goto exit;
	}
	ret = ret ?: trace_options__settle(&options, argv);
	if (!ret)
		ret = options.reading.input ? trace_file__run(&options, argv) : record_options__run(&options.recording, trace_options__finish);
exit:
	trace_options__exit(&options);
	record_options__exit(&options.recording);
	return options.failed ? EXIT_SETUP : ret;
}
