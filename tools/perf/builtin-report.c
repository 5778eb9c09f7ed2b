// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <string.h>

#include "cmd/common/config-defaults.h"
#include "cmd/report/options.h"
#include "cmd/report/refused.h"
#include "cmd/report/view.h"
#include "util/lib/log.h"
#include "util/lib/pages.h"

static struct report_options options = REPORT_OPTIONS_INIT;
static bool ignore_vmlinux, modules;

static const char *const report_usage[] = {
	"perf report [<options>]",
	NULL,
};

static const struct option_row report_options[] = {
	READ_OPTIONS(options.reading),
	OPT_BOOL(0, "stdio", &options.view.stdio, "print text (default if the output is no terminal)"),
	OPT_BOOL(0, "tui", &options.view.tui, "browse on the terminal (default on a terminal)"),
	OPT_STRING_OF('s', "sort", &options.sort, "key[,key...]", "group samples by: comm, dso, symbol, pid, cpu, trace (comm,dso,symbol)",
		      report_options__list_keys),
	OPT_STRING_OF('F', "fields", &options.fields, "key[,key...]",
		      "show these columns: overhead, overhead_children, sample, period, and the keys of -s", report_options__list_keys),
	{ OPTION_CALLBACK, 'g', "call-graph", &options, "mode,limit,order,key,value",
	  "callchains: graph, fractal, flat, folded or none; least percentage; caller or callee first; by function, "
	  "address or srcline; percent, period or count (graph,0.5,caller,function,percent)",
	  report_options__parse_chains, OPTION_OPTARG_NEXT, NULL, report_options__list_chain_words },
	OPT_CALLBACK_FLAGS('G', "inverted", &options, NULL, "show callchains with the caller first", report_options__parse_inverted,
			   OPTION_NOARG),
	OPT_BOOL(0, "children", &options.children, "count samples for all functions on their callchains, too (default)"),
	OPT_CALLBACK('p', "parent", &options.parent, "regex", "set the functions that the key parent looks for in callchains",
		     report_options__parse_regex),
	OPT_BOOL('x', "exclude-other", &options.exclude_other, "show only samples with such a parent"),
	OPT_CALLBACK(0, "ignore-callees", &options.ignore_callees, "regex", "count what these functions call as theirs",
		     report_options__parse_regex),
	OPT_BOOL('n', "show-nr-samples", &options.show_samples, "show a column with the number of samples"),
	OPT_BOOL(0, "show-total-period", &options.show_period, "show a column with the sum of the periods"),
	OPT_BOOL(0, "show-cpu-utilization", &options.show_modes, "show columns with the shares of kernel and user space"),
	{ OPTION_BOOL, 0, "showcpuutilization", &options.show_modes, NULL, "the name that other perfs have for it", NULL, OPTION_HIDDEN, NULL, NULL },
	OPT_BOOL(0, "latency", &options.latency, "put the column Latency first: shares of the elapsed time"),
	OPT_STRING(0, "parallelism", &options.parallelism, "n,...", "show only samples of times in which this many tasks ran: 1, 7,8, 1,64-128"),
	OPT_CALLBACK('w', "column-widths", &options, "width,...", "set the widths of columns; 0 or none: as wide as needed",
		     report_options__parse_widths),
	OPT_BOOL(0, "full", &options.full, "with --stdio, do not cut texts of more than 120 characters in the middle"),
	OPT_CALLBACK(0, "time-quantum", &options, "time", "set the steps of the key time: 10ms, 1s, ... (100ms)", report_options__parse_quantum),
	OPT_BOOL(0, "full-source-path", &options.full_paths, "show source files with their directories"),
	READ_CODE_OPTIONS(options.code),
	OPT_BOOL(0, "ns", &options.nanoseconds, "show the key time to the nanosecond"),
	OPT_BOOL(0, "raw-trace", &options.reading.raw_trace, "show fields of tracepoints as numbers, not in words"),
	OPT_BOOL('H', "hierarchy", &options.hierarchy, "show a tree with a level for each key of -s; {a,b} are one level"),
	OPT_CALLBACK_FLAGS('b', "branch-stack", &options, NULL, "count branches (default for recordings with -b), not samples",
			   report_options__parse_branches, OPTION_NOARG),
	OPT_CALLBACK_FLAGS(0, "group", &options, NULL, "show all events in one table (default: those recorded as a group)",
			   report_options__parse_group, OPTION_NOARG),
	OPT_UINT(0, "group-sort-idx", &options.group_sort, "n", "sort by the nth event of a group, counted from 0"),
	OPT_BOOL(0, "skip-empty", &options.skip_empty, "hide events without samples (default)"),
	OPT_BOOL(0, "mem-mode", &options.mem_mode, "group by accessed memory, and weigh by the cost of the access"),
	OPT_CALLBACK(0, "percent-limit", &options, "percent", "hide entries and branches below this", report_options__parse_limit),
	OPT_CALLBACK(0, "percentage", &options, "relative|absolute", "take percentages of what is shown, or of all samples (absolute)",
		     report_options__parse_percentage),
	OPT_STRING('t', "field-separator", &options.separator, "separator", "separate columns by this, without blanks"),
	SELECTION_OPTIONS(options.selection),
	SAMPLE_SWITCH_OPTIONS(options.selection.switches),
	OPT_STRING(0, "socket-filter", &options.selection.socket, "n", "show only samples of CPUs in this socket"),
	OPT_BOOL('U', "hide-unresolved", &options.selection.named_only, "hide samples and callers without a known function"),
	OPT_STRING(0, "symbol-filter", &options.symbol_filter, "text", "show only rows with this text in the function's name"),
	OPT_STRING(0, "flamegraph", &options.view.profile[PROFILE_FLAMEGRAPH], "file", "write a flame graph, an HTML page"),
	OPT_STRING(0, "flamegraph-colors", &options.view.colors, "kind|file", "color frames of a page by the kind of code (default) or by file"),
	OPT_STRING(0, "diff", &options.view.old, "file", "with --flamegraph or --json: compare with this older recording"),
	{ OPTION_CALLBACK, 0, "timeline", &options, "file",
	  "show when samples fell: a heat map of seconds and their parts, and one of threads; with a file as an HTML page with flame graphs",
	  report_options__parse_timeline, OPTION_OPTARG_NEXT, NULL, NULL },
	OPT_STRING(0, "pprof", &options.view.profile[PROFILE_PPROF], "file", "write a profile for pprof (.pb.gz)"),
	OPT_STRING(0, "speedscope", &options.view.profile[PROFILE_SPEEDSCOPE], "file", "write each thread's stacks by time for Speedscope (.json)"),
	OPT_STRING(0, "firefox", &options.view.profile[PROFILE_FIREFOX], "file", "write a profile for the Firefox Profiler (.json)"),
	OPT_BOOL(0, "json", &options.view.json, "print all stacks as JSON"),
	OPT_CALLBACK_FLAGS(0, "folded", &options.view.folded, "samples", "print lines of stacks with the sums of their periods, or with numbers of "
			   "samples, for flame graphs", read_options__parse_folded, OPTION_OPTARG),
	OPT_BOOL(0, "stats", &options.view.stats, "show only how many records of each type there are"),
	OPT_BOOL(0, "tasks", &options.view.tasks, "show only the tasks"),
	OPT_BOOL(0, "mmaps", &options.view.mmaps, "show only the tasks and their maps"),
	OPT_BOOL('T', "threads", &options.view.threads, "show the counts of each thread, for recordings with -s"),
	OPT_STRING(0, "pretty", &options.view.pretty, "key", "set the form of -T: normal (a line for each thread) or raw (a line for each count)"),
	OPT_BOOL('D', "dump-raw-trace", &options.view.dump, "show only the bytes and contents of each record"),
	READ_HEADER_OPTIONS(options.reading),
	OPT_BOOL(0, "ignore-vmlinux", &ignore_vmlinux, "take symbols from the running kernel, not from -k"),
	OPT_BOOL('m', "modules", &modules, "do nothing: symbols of modules are always read"),
	OPT_BOOL('q', "quiet", &options.quiet, "print rows only, no comments or warnings"),
	REPORT_REFUSED_OPTIONS,
	OPT_END(),
};

static const struct config_default report_config[] = {
	{ "report.percent-limit", "percent-limit", NULL },
	{ "report.sort_order", "sort", NULL },
	{ "report.children", "children", CONFIG_BOOL },
	{ "hist.percentage", "percentage", NULL },
	{ "call-graph.print-type", "call-graph", NULL },
	{ "call-graph.threshold", "call-graph", NULL },
	{ "call-graph.order", "call-graph", NULL },
	{ "call-graph.sort-key", "call-graph", NULL },
	{},
};

/* Views of whole stacks have no rows for these. */
static void check_row_options(void)
{
	const struct report_view_ops *view = report_view__choose(&options);
	const struct {
		const char *name;
		bool given;
	} of_rows[] = {
		{ "--latency", options.latency },
		{ "--parallelism", options.parallelism },
		{ "--exclude-other", options.exclude_other },
		{ "--symbol-filter", options.symbol_filter },
	};

	if (view != &folded_view && view != &profile_view)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(of_rows); i++) {
		if (of_rows[i].given)
			options__refuse_exit("  Error: %s goes with rows only, and --folded, --flamegraph, --timeline, --pprof, "
					     "--speedscope, --firefox and --json show stacks: leave it out, or choose samples by -c, -d, -S, --pid, --tid, -C or --time\n",
					     of_rows[i].name);
	}
}

/* Profiles go together, each in its file; two of them print. */
static void check_outputs(void)
{
	const struct report_view_options *view = &options.view;
	const char *profile = report_view__profile(view);
	const struct option_use printed[] = {
		{ "--json", view->json },
		{ "--timeline", view->timeline },
	}, outputs[] = {
		{ "-D", view->dump },
		{ "--stats", view->stats },
		{ view->tasks ? "--tasks" : "--mmaps", view->tasks || view->mmaps },
		{ "-T", view->threads },
		{ "--folded", view->folded },
		{ profile, profile },
		{ "--header-only", options.reading.header.only },
		{ "--tui", view->tui },
	};

	options__check_exclusive(printed, ARRAY_SIZE(printed));
	options__check_exclusive(outputs, ARRAY_SIZE(outputs));
}

/* A wrong command line ends perf. */
static void check_options(void)
{
	const struct report_view_options *view = &options.view;

	check_outputs();
	check_row_options();
	if (view->old && !view->profile[PROFILE_FLAMEGRAPH] && !view->json)
		options__refuse_exit("  Error: --diff goes with --flamegraph or --json: for rows take 'perf diff %s FILE'\n", view->old);
	if (view->colors && strcmp(view->colors, "kind") && strcmp(view->colors, "file"))
		options__refuse_exit("  Error: --flamegraph-colors %s: neither kind nor file\n", view->colors);
	if (view->colors && !view->profile[PROFILE_FLAMEGRAPH] && !view->profile[PROFILE_TIMELINE])
		options__refuse_exit("  Error: --flamegraph-colors goes with --flamegraph or --timeline=FILE\n");
	if (view->colors && view->old)
		options__refuse_exit("  Error: --diff colors frames by their change: leave out --flamegraph-colors\n");
	if (view->pretty && strcmp(view->pretty, "raw") && strcmp(view->pretty, "normal"))
		options__refuse_exit("  Error: --pretty %s: neither normal nor raw\n", view->pretty);
	if (view->tui && options.hierarchy)
		options__refuse_exit("  Error: --hierarchy is shown as text: leave out --tui\n");
}

static int read_input(void)
{
	const struct report_view_ops *view = report_view__choose(&options);
	struct read_options *reading = &options.reading;
	struct session *session;
	int ret;

	reading->merge_callchains = !options.view.dump;
	reading->hide_unresolved = options.selection.named_only;
	reading->ignore_callees = options.ignore_callees.is_compiled ? &options.ignore_callees.compiled : NULL;
	if (ignore_vmlinux)
		reading->vmlinux = NULL;
	read_options__place_code(reading, &options.code);
	session = read_options__open(reading, view->no_symbols);
	if (!session)
		return EXIT_SETUP;
	ret = report_view__run(view, &options, session);
	session__delete(session);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	int ret = config_defaults__apply(report_config, &argc, &argv);

	if (ret)
		return ret;
	pages__return_freed(2 << 20);
	argc = options__parse(argc, argv, report_options, report_usage, false);
	if (argc)
		options__refuse_exit("  Error: unexpected argument `%s'\n", argv[0]);
	check_options();
	read_options__choose_input(&options.reading);
	log__set_quiet(options.quiet);
	do {
		ret = options.reading.header.only ? read_options__print_header_only(&options.reading) : read_input();
	} while (report_options__next(&options));
	report_options__exit(&options);
	return ret;
}
