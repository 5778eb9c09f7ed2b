// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/config-defaults.h"
#include "cmd/read/options.h"
#include "cmd/report/options.h"
#include "cmd/report/profile.h"
#include "cmd/report/rows.h"
#include "cmd/report/threads.h"
#include "ui/tui/browser.h"
#include "ui/tally/output.h"
#include "ui/dump/header.h"
#include "ui/pager.h"
#include "ui/progress.h"
#include "ui/dump/record.h"
#include "ui/session-stdio.h"
#include "ui/report/stats.h"
#include "ui/report/tasks.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/sampler/counter.h"
#include "util/session/session.h"

static struct read_options reading = READ_OPTIONS_INIT;
static struct report_options options = REPORT_OPTIONS_INIT;
static struct report_profile profile;
static bool show_header, header_only, full_header, show_stats, show_tasks, show_mmaps, show_threads, folded, dump, stdio, tui;
static bool ignore_vmlinux, modules;
static const char *pretty;

static const char *const report_usage[] = {
	"perf report [<options>]",
	NULL,
};

/* What other perfs have and this one has not: refused, with the reason. */
#define REFUSED_SHORT(short, name, argh, flags, why) \
	OPT_CALLBACK_FLAGS(short, name, NULL, argh, why, report_options__refuse, (flags) | OPTION_HIDDEN)
#define REFUSED(name, argh, flags, why) REFUSED_SHORT(0, name, argh, flags, why)
#define NO_CODE "the code of functions is not shown here: take stock perf's annotate"
#define REFUSED_OPTIONS                                                                                                     \
	REFUSED("itrace", "options", OPTION_OPTARG, "traces of the hardware (AUX) are not decoded here: take stock perf"),  \
	REFUSED("latency", NULL, OPTION_NOARG, "what 'perf record --latency' records is not read here: take stock perf"),   \
	REFUSED("parallelism", "list", 0, "what 'perf record --latency' records is not read here: take stock perf"),        \
	REFUSED("total-cycles", NULL, OPTION_NOARG, "blocks of branches are not put together here: take stock perf"),       \
	REFUSED("branch-history", NULL, OPTION_NOARG, "branches are not joined to callchains here: take -b, or stock perf"), \
	REFUSED("disable-order", NULL, OPTION_NOARG, "records are always read in the order of their times"), \
	REFUSED("stitch-lbr", NULL, OPTION_NOARG, "callchains are not put together of several samples here: take stock perf"), \
	REFUSED("show-ref-call-graph", NULL, OPTION_NOARG, "events do not show others' callchains here: take stock perf"), \
	REFUSED_SHORT('M', "disassembler-style", "style", 0, NO_CODE), \
	REFUSED("prefix", "path", 0, NO_CODE), \
	REFUSED("prefix-strip", "n", 0, NO_CODE), \
	REFUSED("percent-type", "type", 0, NO_CODE), \
	REFUSED("source", NULL, OPTION_NOARG, NO_CODE), \
	REFUSED("asm-raw", NULL, OPTION_NOARG, NO_CODE), \
	REFUSED("objdump", "path", 0, NO_CODE), \
	REFUSED("samples", "n", 0, "samples of a row are not kept one by one: 'perf script' shows them"), \
	OPT_CALLBACK_FLAGS(0, "stdio-color", NULL, "mode", "text is printed without colours", report_options__check_color, \
			   OPTION_HIDDEN)

static const struct option_row report_options[] = {
	READ_OPTIONS(reading),
	OPT_BOOL(0, "stdio", &stdio, "print text; the default where the output is no terminal"),
	OPT_BOOL(0, "tui", &tui, "walk through the rows on the terminal; the default there"),
	OPT_STRING('s', "sort", &options.sort, "key[,key...]", "group samples by: comm, dso, symbol, pid, cpu, trace (comm,dso,symbol)"),
	OPT_STRING('F', "fields", &options.fields, "key[,key...]",
		   "columns: overhead, overhead_children, sample, period, and the keys of -s"),
	OPT_CALLBACK_FLAGS('g', "call-graph", &options, "mode,limit,order,key,value",
			   "callchains: graph, fractal, flat, folded or none; least percentage; caller or callee first; by function, "
			   "address or srcline; percent, period or count (graph,0.5,caller,function,percent)",
			   report_options__parse_chains, OPTION_OPTARG_NEXT),
	OPT_CALLBACK_FLAGS('G', "inverted", &options, NULL, "callchains with the caller first", report_options__parse_inverted,
			   OPTION_NOARG),
	OPT_BOOL(0, "children", &options.children, "count samples for all functions on their callchains, too (default)"),
	OPT_CALLBACK('p', "parent", &options.parent, "regex", "the functions that the key parent looks for on callchains",
		     report_options__parse_regex),
	OPT_BOOL('x', "exclude-other", &options.exclude_other, "only samples with such a parent"),
	OPT_CALLBACK(0, "ignore-callees", &options.ignore_callees, "regex", "leave out what these functions call, and count it as theirs",
		     report_options__parse_regex),
	OPT_BOOL('n', "show-nr-samples", &options.show_samples, "show a column with the number of samples"),
	OPT_BOOL(0, "show-total-period", &options.show_period, "show a column with the sum of the periods"),
	OPT_BOOL(0, "show-cpu-utilization", &options.show_modes, "show columns with the parts of kernel and user space"),
	OPT_CALLBACK('w', "column-widths", &options, "width,...", "make columns so wide, 0 or missing: as wide as need be",
		     report_options__parse_widths),
	OPT_CALLBACK(0, "time-quantum", &options, "time", "the steps of the key time: 10ms, 1s, ... (100ms)", report_options__parse_quantum),
	OPT_BOOL(0, "full-source-path", &options.full_paths, "show source files with their directories"),
	OPT_BOOL(0, "ns", &options.nanoseconds, "show the key time to the nanosecond"),
	OPT_BOOL(0, "raw-trace", &reading.raw_trace, "show fields of tracepoints as numbers, not in words"),
	OPT_BOOL('H', "hierarchy", &options.hierarchy, "a tree whose levels are the keys of -s, with sums; {a,b} are one level"),
	OPT_CALLBACK_FLAGS('b', "branch-stack", &options, NULL, "count branches, of recordings with -b (default), or (--no-branch-stack) samples",
			   report_options__parse_branches, OPTION_NOARG),
	OPT_CALLBACK_FLAGS(0, "group", &options, NULL, "all events in one table, or (--no-group) none; without it those recorded as a group",
			   report_options__parse_group, OPTION_NOARG),
	OPT_UINT(0, "group-sort-idx", &options.group_sort, "n", "list by the nth event of a group, counted from 0, first"),
	OPT_BOOL(0, "skip-empty", &options.skip_empty, "leave out events without samples (default)"),
	OPT_BOOL(0, "mem-mode", &options.mem_mode, "group by the memory that was accessed, and weigh by what it cost"),
	OPT_CALLBACK(0, "percent-limit", &options, "percent", "leave out entries and branches below", report_options__parse_limit),
	OPT_CALLBACK(0, "percentage", &options, "relative|absolute", "percentages are of what filters leave, or of all (absolute)",
		     report_options__parse_percentage),
	OPT_STRING('t', "field-separator", &options.separator, "separator", "put this between columns, no blanks"),
	SELECTION_OPTIONS(options.selection),
	SAMPLE_SWITCH_OPTIONS(options.selection.switches),
	OPT_STRING(0, "socket-filter", &options.selection.socket, "n", "only samples of CPUs in this socket"),
	OPT_BOOL('U', "hide-unresolved", &options.selection.named_only, "only samples in functions that are known, and only these callers"),
	OPT_STRING(0, "symbol-filter", &options.symbol_filter, "text", "only rows with this in the function's name"),
	REPORT_PROFILE_OPTIONS(profile),
	OPT_BOOL(0, "folded", &folded, "print lines of stacks and numbers of samples, for flame graphs"),
	OPT_BOOL(0, "stats", &show_stats, "show how many records of each type there are, no more"),
	OPT_BOOL(0, "tasks", &show_tasks, "show which tasks there were, no more"),
	OPT_BOOL(0, "mmaps", &show_mmaps, "show which tasks there were and what they mapped, no more"),
	OPT_BOOL('T', "threads", &show_threads, "show what each thread counted, of recordings with -s"),
	OPT_STRING(0, "pretty", &pretty, "key", "how -T looks: normal (a line for each thread), raw (one for each count)"),
	OPT_BOOL('D', "dump-raw-trace", &dump, "show the bytes and the contents of each record, no more"),
	OPT_BOOL(0, "header", &show_header, "show the facts about the recording first"),
	OPT_BOOL(0, "header-only", &header_only, "show the facts about the recording, no more"),
	OPT_BOOL('I', "show-info", &full_header, "show all facts with --header, --header-only"),
	OPT_BOOL(0, "ignore-vmlinux", &ignore_vmlinux, "take the kernel's symbols from where it runs, not from -k"),
	OPT_BOOL('m', "modules", &modules, "taken for other perfs' sake: symbols of modules are always read"),
	OPT_BOOL('q', "quiet", &options.quiet, "rows only, no comments and no warnings"),
	REFUSED_OPTIONS,
	OPT_END(),
};

/* One way to look at a recording. A session that is only counted needs no sample callback. */
struct view {
	int (*init)(struct session *s, struct errmsg *err); /* 0 or -errno; NULL: nothing is to be done */
	struct session_ops ops;
	int (*finish)(struct session *s); /* returns the exit status */
	void (*exit)(struct session *s);  /* after init, whatever it returned; may be NULL */
	bool no_symbols;
};

static struct progress progress;

static void start_pager(void)
{
	pager__start(config_defaults__get((const char *const[]){ "pager.report", NULL }));
}

/* No samples at all is worth a reason if we know one. */
static void explain_no_samples(struct session *s)
{
	u64 dropped = session__stats(s)->dropped_samples;

	if (!dropped) {
		pr_err("Error:\nThe %s data has no samples!\n", reading.input);
		return;
	}
	pr_err("Error:\nThe %s data has no samples: the filter dropped all %llu:\n", reading.input, (unsigned long long)dropped);
	for (u32 i = 0; i < session__nr_events(s); i++) {
		const struct session_event *event = session__event(s, i);

		if (event->dropped_samples)
			pr_err("\t%llu of event '%s'\n", (unsigned long long)event->dropped_samples, event->name);
	}
}

static int tell_oom(int ret)
{
	if (ret)
		pr_err("out of memory\n");
	return ret ? EXIT_SETUP : 0;
}

static struct thread_counts *thread_counts; /* NULL: not asked for */
static struct report_rows rows = { .options = &options };

static int rows_init(struct session *s, struct errmsg *err)
{
	rows.session = s;
	thread_counts = show_threads ? thread_counts__new(session__nr_events(s)) : NULL;
	if (show_threads && !thread_counts)
		return errmsg__set(err, ENOMEM, "out of memory");
	return report_rows__init(&rows, err);
}

static int rows_record(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset, void *data)
{
	if (!thread_counts || record->header.type != PERF_RECORD_READ)
		return 0;
	return thread_counts__add(thread_counts, session__event_of(s, id), &record->read);
}

static int rows_sample(struct session *s, const struct session_sample *sample, void *data)
{
	progress__update(&progress, sample->file_offset);
	return report_rows__add(&rows, sample);
}

static void rows_again(struct session *s, u64 token, u64 nr, u64 period, void *data)
{
	report_rows__add_more(&rows, token, nr, period);
}

/* On a terminal the rows are for walking through, unless text was asked for. */
static bool use_browser(void)
{
	return tui || (!stdio && !options.hierarchy && !options.quiet && !options.separator && !show_header && !show_threads &&
		       browser__can_run());
}

#define HEADER_HINT "# To display the perf.data header info, please use --header/--header-only options.\n#"

static int rows_finish(struct session *s)
{
	if (!report_rows__any_samples(&rows)) {
		if (!options.quiet && !show_header)
			puts(HEADER_HINT);
		explain_no_samples(s);
		return 0;
	}
	if (use_browser())
		return report_rows__browse(&rows) ? EXIT_SETUP : 0;
	start_pager();
	if (show_header)
		header__fprintf(stdout, session__reader(s), reading.input, full_header);
	else if (!options.quiet)
		puts(HEADER_HINT);
	if (report_rows__print(&rows, stdout))
		return tell_oom(-ENOMEM);
	if (thread_counts)
		thread_counts__fprintf(thread_counts, stdout, s, pretty && !strcmp(pretty, "raw"));
	return 0;
}

static void rows_exit(struct session *s)
{
	report_rows__exit(&rows);
	thread_counts__delete(thread_counts);
}

static const struct view rows_view = {
	.init = rows_init, .ops = { .sample = rows_sample, .again = rows_again, .record = rows_record },
	.finish = rows_finish, .exit = rows_exit,
};

/* Whole stacks take the place of rows. */
static int profile_init(struct session *s, struct errmsg *err)
{
	return report_profile__begin(&profile, s) ? errmsg__set(err, ENOMEM, "out of memory") : 0;
}

/* Samples with this stack need not be delivered one by one. place 0: there was no memory for it. */
static int count_stack_at(const struct session_sample *sample, u64 place)
{
	const struct callchain *chain = sample->chain;

	if (selection__ignores_rest(&options.selection))
		sample->again->token = place;
	/* Those elsewhere in the function have the same stack, if nothing is inlined and no address was asked for. */
	sample->again->of_function = chain && chain->nr_leaf == 1 && sample->loc.sym && !options.selection.symbols;
	return place ? 0 : -ENOMEM;
}

static int profile_sample(struct session *s, const struct session_sample *sample, void *data)
{
	progress__update(&progress, sample->file_offset);
	if (selection__judge(&options.selection, sample) != SAMPLE_SHOWN)
		return 0;
	return count_stack_at(sample, report_profile__add(&profile, sample));
}

static void profile_again(struct session *s, u64 place, u64 nr, u64 period, void *data)
{
	report_profile__add_more(place, nr, period);
}

static int profile_finish(struct session *s)
{
	if (profile.json)
		start_pager();
	return report_profile__write(&profile, s);
}

static void profile_exit(struct session *s)
{
	report_profile__exit(&profile, s);
}

static const struct view profile_view = {
	.init = profile_init, .ops = { .sample = profile_sample, .again = profile_again }, .finish = profile_finish,
	.exit = profile_exit,
};

static struct tally_output *folded_lines;

static int folded_init(struct session *s, struct errmsg *err)
{
	const struct tally_output_opts opts = {
		.fp = stdout, .key = COUNTER_KEY_COMM | COUNTER_KEY_SYM, .many_events = session__nr_events(s) > 1,
	};

	folded_lines = tally_formats[TALLY_FOLDED].new(&opts, err);
	return folded_lines ? 0 : -ENOMEM;
}

static int folded_sample(struct session *s, const struct session_sample *sample, void *data)
{
	progress__update(&progress, sample->file_offset);
	if (selection__judge(&options.selection, sample) != SAMPLE_SHOWN)
		return 0;
	if (folded_lines->ops->sample(folded_lines, sample))
		return -ENOMEM;
	return count_stack_at(sample, folded_lines->ops->last_place(folded_lines));
}

static void folded_again(struct session *s, u64 place, u64 nr, u64 period, void *data)
{
	folded_lines->ops->again(folded_lines, place, nr);
}

static int folded_finish(struct session *s)
{
	start_pager();
	folded_lines->ops->finish(folded_lines);
	return 0;
}

static void folded_exit(struct session *s)
{
	if (folded_lines)
		folded_lines->ops->delete(folded_lines);
}

static const struct view folded_view = {
	.init = folded_init, .ops = { .sample = folded_sample, .again = folded_again }, .finish = folded_finish,
	.exit = folded_exit,
};

static int stats_finish(struct session *s)
{
	start_pager();
	stats__fprintf(stdout, s);
	return 0;
}

static const struct view stats_view = { .finish = stats_finish, .no_symbols = true };

static int tasks_finish(struct session *s)
{
	start_pager();
	return tell_oom(tasks__fprintf(stdout, session__machine(s), show_mmaps));
}

static const struct view tasks_view = { .finish = tasks_finish, .no_symbols = true };

static int dump_init(struct session *s, struct errmsg *err)
{
	start_pager();
	if (show_header)
		header__fprintf(stdout, session__reader(s), reading.input, full_header);
	else if (!options.quiet)
		puts(HEADER_HINT);
	return 0;
}

static int dump_sample(struct session *s, const struct session_sample *sample, void *data)
{
	perf_record__fprintf_raw(stdout, reading.input, sample->record, sample->file_offset);
	sample__fprintf_dump(stdout, sample, perfdata_reader__features(session__reader(s))->arch);
	sample__fprintf_owner(stdout, sample);
	return 0;
}

static int dump_record(struct session *s, const union perf_record *record, const struct perf_sample *id, u64 file_offset, void *data)
{
	const struct session_event *event = session__event_of(s, id);

	perf_record__fprintf_raw(stdout, reading.input, record, file_offset);
	if (record->header.type == PERF_RECORD_READ)
		perf_record__fprintf_read(stdout, event, record, id, file_offset);
	else
		perf_record__fprintf_dump(stdout, &event->event->attr, record, id, file_offset);
	/* As perf, whose script says nothing of these. */
	if (record->header.type == PERF_RECORD_THREAD_MAP || record->header.type == PERF_RECORD_CPU_MAP)
		puts(": unhandled!");
	return 0;
}

static const struct view dump_view = {
	.init = dump_init, .ops = { .sample = dump_sample, .record = dump_record }, .finish = stats_finish,
};

static const struct view *choose_view(void)
{
	if (dump)
		return &dump_view;
	if (show_stats)
		return &stats_view;
	if (show_tasks || show_mmaps)
		return &tasks_view;
	if (folded)
		return &folded_view;
	return report_profile__wanted(&profile) ? &profile_view : &rows_view;
}

/* Read the recording. Returns the exit status. */
static int read_all(const struct view *view, struct session *s)
{
	struct errmsg err;
	int ret;

	progress__start(&progress, options.quiet ? 0 : perfdata_reader__data_size(session__reader(s)));
	ret = session__run(s, &view->ops, NULL, &err);
	progress__finish(&progress);
	if (ret) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	session__warn(s, reading.input);
	return view->finish(s);
}

static int run(const struct view *view, struct session *s)
{
	struct errmsg err;
	int ret = selection__init(&options.selection, s, &err);

	if (!ret && view->init)
		ret = view->init(s, &err);
	if (ret)
		pr_err("%s\n", err.text);
	ret = ret ? ret == -EINVAL || ret == -ENOENT ? EXIT_USAGE : EXIT_SETUP : read_all(view, s);
	if (view->exit)
		view->exit(s);
	return ret;
}

static int print_header_only(void)
{
	struct perfdata_reader *reader;
	struct errmsg err;
	int ret = perfdata_reader__open(reading.input, &reader, &err);

	if (ret) {
		session__explain_open(reading.input, ret, &err);
		return EXIT_SETUP;
	}
	start_pager();
	header__fprintf(stdout, reader, reading.input, full_header);
	perfdata_reader__delete(reader);
	return 0;
}

static const struct config_default report_config[] = {
	{ "report.percent-limit", "percent-limit", NULL },
	{ "report.sort_order", "sort", NULL },
	{ "report.children", "children", CONFIG_BOOL },
	{ "buildid.dir", "buildid-dir", NULL },
	{ "hist.percentage", "percentage", NULL },
	{ "call-graph.print-type", "call-graph", NULL },
	{ "call-graph.threshold", "call-graph", NULL },
	{ "call-graph.order", "call-graph", NULL },
	{ "call-graph.sort-key", "call-graph", NULL },
	{},
};

int cmd_report(int argc, char **argv)
{
	const struct view *view;
	struct session *session;
	int ret;

	ret = config_defaults__apply(report_config, &argc, &argv);
	if (ret)
		return ret;
	argc = options__parse(argc, argv, report_options, report_usage, false);
	if (argc)
		options__usage_exit(report_options, report_usage, "  Error: unexpected argument `%s'\n", argv[0]);
	if (pretty && strcmp(pretty, "raw") && strcmp(pretty, "normal"))
		options__usage_exit(report_options, report_usage, "  Error: --pretty %s: neither normal nor raw\n", pretty);
	if (tui && (options.hierarchy || show_threads))
		options__usage_exit(report_options, report_usage, "  Error: --%s is shown as text: leave out --tui\n",
				    options.hierarchy ? "hierarchy" : "threads");
	read_options__choose_input(&reading);
	log__set_quiet(options.quiet);
	if (header_only)
		return print_header_only();
	reading.merge_callchains = !dump;
	reading.hide_unresolved = options.selection.named_only;
	reading.ignore_callees = options.ignore_callees.is_compiled ? &options.ignore_callees.compiled : NULL;
	if (ignore_vmlinux)
		reading.vmlinux = NULL;
	view = choose_view();
	session = read_options__open(&reading, view->no_symbols);
	if (!session)
		return EXIT_SETUP;
	ret = run(view, session);
	session__delete(session);
	report_options__exit(&options);
	return ret;
}
