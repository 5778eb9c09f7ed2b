// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "diff"
#include "builtin.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/common/config-defaults.h"
#include "cmd/diff/files.h"
#include "cmd/diff/options.h"
#include "util/lib/log.h"

static struct diff_options options = DIFF_OPTIONS_INIT;
static bool modules;

static const char *const diff_usage[] = {
	"perf diff [<options>] [<baseline>] [<file>...]",
	NULL,
};

#define REFUSED(name, why) OPT_REFUSED(0, name, NULL, OPTION_NOARG, why)

static const struct option_row diff_options[] = {
	OPT_BOOL('b', "baseline-only", &options.baseline_only, "show only what the baseline has, too"),
	OPT_CALLBACK_OF('c', "compute", &options.comparison, "delta|delta-abs|ratio|wdiff:base,file",
			"compute differences of percentages (delta; delta-abs, the default, shows the largest first either way), quotients of "
			"periods, or differences of weighted periods", diff_options__parse_compute, diff_options__list_computes),
	OPT_BOOL('p', "period", &options.comparison.show_period, "show columns with the periods"),
	OPT_BOOL('F', "formula", &options.comparison.show_formula, "show how values are computed"),
	OPT_UINT('o', "order", &options.comparison.order, "n", "sort by the values of this file; 0: by the baseline (1)"),
	OPT_STRING_OF('s', "sort", &options.report.sort, "key[,key...]", "group samples by: comm, dso, symbol, pid, cpu (dso,symbol)",
		      report_options__list_keys),
	OPT_STRING('t', "field-separator", &options.report.separator, "separator", "separate columns by this, without blanks"),
	OPT_STRING('C', "comms", &options.report.selection.comms, "comm,...", "compare only samples of these commands"),
	OPT_STRING('d', "dsos", &options.report.selection.dsos, "dso,...", "compare only samples in these files"),
	OPT_STRING('S', "symbols", &options.report.selection.symbols, "symbol,...", "compare only samples in these functions"),
	OPT_STRING(0, "cpu", &options.report.selection.cpus, "cpu,...", "compare only samples of these CPUs"),
	OPT_STRING(0, "pid", &options.report.selection.pids, "pid,...", "compare only samples of these processes"),
	OPT_STRING(0, "tid", &options.report.selection.tids, "tid,...", "compare only samples of these threads"),
	OPT_STRING(0, "time", &options.times, "range[:range...]",
		   "compare only samples of this time, as for perf report; with ':' of each file its own"),
	OPT_CALLBACK(0, "percentage", &options.report, "relative|absolute", "take percentages of what is shown, or of all samples (absolute)",
		     report_options__parse_percentage),
	OPT_BOOL('D', "dump-raw-trace", &options.dump, "show the bytes and contents of each record before the rows"),
	OPT_BOOL('m', "modules", &modules, "do nothing: symbols of modules are always read"),
	OPT_BOOL('q', "quiet", &options.report.quiet, "print rows only, no comments or warnings"),
	READ_SYMBOL_OPTIONS(options.report.reading),
	REFUSED("cycles-hist", "blocks of branches are not put together here: take stock perf"),
	REFUSED("stream", "callchains are not made of branches here: take stock perf"),
	OPT_END(),
};

static const struct config_default diff_config[] = {
	{ "diff.order", "order", NULL },
	{ "diff.compute", "compute", NULL },
	{ "hist.percentage", "percentage", NULL },
	{},
};

static int compare(const char *const *names)
{
	struct diff_files files = {};
	int ret = diff_files__read(&files, &options, names);

	if (!ret || ret == EXIT_DAMAGED) {
		read_options__start_pager(&options.report.reading);
		if (diff_files__print(&files, stdout)) {
			pr_err("out of memory\n");
			ret = EXIT_SETUP;
		}
	}
	diff_files__exit(&files);
	return ret;
}

int cmd_diff(int argc, char **argv)
{
	int ret = config_defaults__apply(diff_config, &argc, &argv);
	const char **names;

	if (ret)
		return ret;
	argc = options__parse(argc, argv, diff_options, diff_usage, false);
	names = diff_options__files(&options, argc, argv);
	if (!names)
		return EXIT_USAGE;
	log__set_quiet(options.report.quiet);
	ret = compare(names);
	free(names);
	report_options__exit(&options.report);
	return ret;
}
