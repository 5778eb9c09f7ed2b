// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "annotate"
#include "builtin.h"

#include <stdio.h>

#include "cmd/annotate/functions.h"
#include "cmd/annotate/options.h"
#include "util/lib/log.h"

static struct annotate_options options = ANNOTATE_OPTIONS_INIT;
static bool ignore_vmlinux, modules, stdio, stdio2, tui;

static const char *const annotate_usage[] = {
	"perf annotate [<options>] [<symbol>]",
	NULL,
};

#define REFUSED(name, argh, flags, why) OPT_REFUSED(0, name, argh, flags, why)
#define NO_TYPE_STATS "'--data-type' shows the types that are known, and 'perf report -s type' the share of the others"

static const struct option_row annotate_options[] = {
	OPT_STRING('i', "input", &options.report.reading.input, "file", "read this recording (stdin if it is a pipe, else perf.data)"),
	OPT_STRING('s', "symbol", &options.symbol, "symbol", "show this function only"),
	OPT_STRING('d', "dsos", &options.report.selection.dsos, "dso,...", "show only functions of these files"),
	OPT_STRING('C', "cpu", &options.report.selection.cpus, "cpu,...", "count only samples of these CPUs"),
	OPT_BOOL(0, "stdio", &stdio, "print text: source lines and instructions"),
	OPT_BOOL(0, "stdio2", &stdio2, "print text: instructions, with their jumps"),
	OPT_BOOL(0, "tui", &tui, "show code on the terminal (default there)"),
	OPT_CALLBACK_FLAGS(0, "group", &options.report, NULL, "show all events together, those of a group always", report_options__parse_group, OPTION_NOARG),
	OPT_BOOL('l', "print-line", &options.view.print_lines, "print the source lines of instructions, and their sums"),
	OPT_BOOL('P', "full-paths", &options.view.full_paths, "print whole paths"),
	OPT_BOOL(0, "source", &options.view.source, "print the source between the instructions (default)"),
	READ_CODE_OPTIONS(options.report.code),
	OPT_BOOL('n', "show-nr-samples", &options.view.show_samples, "print numbers of samples, not percentages"),
	OPT_BOOL(0, "show-total-period", &options.view.show_period, "print sums of periods, not percentages"),
	OPT_CALLBACK_OF(0, "percent-type", &options.view.percent, "type",
			"take percentages of the function's (local) or all (global) periods or hits: local-period, local-hits, global-period, global-hits",
			annotate_options__parse_percent, annotate_options__list_percents),
	OPT_CALLBACK(0, "percent-limit", &options.report, "percent", "show only functions that have this share of the samples",
		     report_options__parse_limit),
	OPT_CALLBACK_FLAGS(0, "data-type", &options, "type", "show the types of data that were accessed, or this one, with their members",
			   annotate_options__parse_types, OPTION_OPTARG),
	OPT_BOOL(0, "code-with-type", &options.view.types, "show beside instructions which type of data they access"),
	OPT_BOOL(0, "skip-missing", &options.skip_missing, "say nothing of functions whose code cannot be read"),
	OPT_BOOL(0, "skip-empty", &options.report.skip_empty, "show no columns of events without samples (default)"),
	OPT_BOOL('q', "quiet", &options.report.quiet, "print no warnings"),
	READ_SYMBOL_OPTIONS(options.report.reading),
	OPT_BOOL(0, "ignore-vmlinux", &ignore_vmlinux, "ignore -k"),
	OPT_BOOL('m', "modules", &modules, "do nothing: symbols of modules are always read"),
	OPT_CALLBACK_FLAGS(0, "stdio-color", NULL, "mode", "text is printed without colours", report_options__check_color, OPTION_HIDDEN),
	REFUSED("gtk", NULL, OPTION_NOARG, "this perf draws on terminals only: take --tui or --stdio"),
	REFUSED("itrace", "options", OPTION_OPTARG, "traces of the hardware (AUX) are not decoded here: take stock perf"),
	REFUSED("type-stat", NULL, OPTION_NOARG, NO_TYPE_STATS),
	REFUSED("insn-stat", NULL, OPTION_NOARG, NO_TYPE_STATS),
	OPT_REFUSED('D', "dump-raw-trace", NULL, OPTION_NOARG, "'perf report -D' dumps records"),
	OPT_END(),
};

static void check_exclusive(void)
{
	const struct option_use numbers[] = {
		{ "-n", options.view.show_samples },
		{ "--show-total-period", options.view.show_period },
	}, outputs[] = {
		{ "--stdio", stdio },
		{ "--stdio2", stdio2 },
		{ "--tui", tui },
	};

	options__check_exclusive(numbers, ARRAY_SIZE(numbers));
	options__check_exclusive(outputs, ARRAY_SIZE(outputs));
}

/* What has no meaning where types are shown in place of code; NULL: nothing of it is given. */
static const char *about_code(void)
{
	const struct option_use uses[] = {
		{ "the function", options.symbol != NULL },	{ "--stdio2", stdio2 },
		{ "--tui", tui },				{ "-l", options.view.print_lines },
		{ "--code-with-type", options.view.types },	{ "--full-paths", options.view.full_paths },
		{ "--skip-missing", options.skip_missing },	{ "--asm-raw", options.report.code.raw },
	};

	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		if (uses[i].given)
			return uses[i].name;
	}
	return NULL;
}

int cmd_annotate(int argc, char **argv)
{
	struct read_options *reading = &options.report.reading;
	int ret;

	argc = options__parse(argc, argv, annotate_options, annotate_usage, false);
	if (argc > 1)
		options__refuse_exit("  Error: unexpected argument `%s': perf annotate shows one function, or all\n", argv[1]);
	if (argc)
		options.symbol = argv[0];
	check_exclusive();
	if (options.types && about_code())
		options__refuse_exit("  Error: --data-type shows types as text, of all functions: leave out %s\n", about_code());
	if (options.types)
		options.report.sort = "dso,type";
	if (tui && options.view.print_lines)
		options__refuse_exit("  Error: -l goes with --stdio; on the terminal s shows source lines\n");
	read_options__choose_input(reading);
	log__set_quiet(options.report.quiet);
	if (ignore_vmlinux)
		reading->vmlinux = NULL;
	options.form = stdio ? ANNOTATE_STDIO : stdio2 ? ANNOTATE_STDIO2 : tui ? ANNOTATE_TUI : ANNOTATE_ANY;
	options.report.code.no_source = !options.view.source || stdio2;
	read_options__place_code(reading, &options.report.code);
	ret = annotate__run(&options);
	report_options__exit(&options.report);
	return ret;
}
