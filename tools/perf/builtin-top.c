// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "top"
#include "builtin.h"

#include "cmd/record/callgraph.h"
#include "cmd/record/watching.h"
#include "cmd/report/options.h"
#include "cmd/sample-bpf/tell.h"
#include "cmd/top/options.h"
#include "cmd/top/output.h"
#include "cmd/top/refused.h"

static struct top_options options = TOP_OPTIONS_INIT(options);

static const char *const top_usage[] = {
	"perf top [<options>]",
	NULL,
};

static const struct option_row top_options[] = {
	OPT_GROUP("What is sampled"),
	RECORD_OPTIONS_WHAT(options.counting.recording),
	RECORD_OPTIONS_OFF_CPU(options.counting.recording),
	OPT_GROUP("Who is sampled"),
	RECORD_OPTIONS_WHO(options.counting.recording),
	OPT_GROUP("What is shown"),
	OPT_UINT('d', "delay", &options.delay, "seconds", "show new rows after this time (2)"),
	OPT_BOOL('z', "zero", &options.zero, "show only what was hit since the last time; else older hits fade away"),
	OPT_STRING_OF('s', "sort", &options.report.sort, "key,...", "group samples by: comm, dso, symbol, cpu, pid, tid (" TOP_SORT ")",
		      top_options__list_keys),
	OPT_CALLBACK_FLAGS('g', NULL, &options, NULL, "show callers", top_options__parse_callgraph, OPTION_NOARG),
	OPT_CALLBACK_OF(0, "call-graph", &options, "mode", "show callers: take stacks by frame pointers (fp), or whole by tables in BPF (bpf)",
			top_options__parse_callgraph, sample_bpf_options__list_callgraphs),
	RECORD_OPTION_INTERP(options.counting.recording.opts),
	OPT_BOOL(0, "children", &options.report.children, "with callers: count a sample for each function on its stack, too (default)"),
	OPT_BOOL('K', "hide_kernel_symbols", &options.hide_kernel, "hide the kernel's functions"),
	OPT_BOOL('U', "hide_user_symbols", &options.hide_user, "hide functions of programs"),
	OPT_UINT('E', "entries", &options.entries, "n", "show at most this many rows of text"),
	OPT_BOOL('n', "show-nr-samples", &options.report.show_samples, "show a column with the number of samples"),
	OPT_BOOL(0, "show-total-period", &options.report.show_period, "show a column with the sum of periods"),
	OPT_CALLBACK(0, "percent-limit", &options.report, "percent", "show only rows that have this share", report_options__parse_limit),
	OPT_CALLBACK(0, "percentage", &options.report, "relative|absolute", "take percentages of what is shown, or of all samples (absolute)",
		     report_options__parse_percentage),
	OPT_CALLBACK('w', "column-widths", &options.report, "width,...", "set the widths of columns; 0 or none: as wide as needed",
		     report_options__parse_widths),
	OPT_STRING(0, "comms", &options.report.selection.comms, "comm,...", "show only samples of these commands"),
	OPT_STRING(0, "dsos", &options.report.selection.dsos, "dso,...", "show only samples in these files"),
	OPT_STRING(0, "symbols", &options.report.selection.symbols, "symbol,...", "show only samples in these functions"),
	OPT_BOOL(0, "stdio", &options.stdio, "print tables of text (default without a terminal)"),
	OPT_BOOL(0, "tui", &options.tui, "show the browser of perf report (default on a terminal)"),
	OPT_GROUP("How"),
	RECORD_OPTIONS_BUFFERS(options.counting.recording),
	OPT_UINT(0, "max-keys", &options.counting.counting.max_keys, "n", "keep room in the kernel for this many different addresses at a time"),
	OPT_INCR('v', "verbose", &options.counting.recording.verbose, "print more messages"),
	OPT_UINT(0, "max-stack", &options.counting.max_stack, "frames", "take at most this many frames of a stack, in the kernel and in user space"),
	READ_CODE_OPTIONS(options.report.code),
	OPT_STRING('k', "vmlinux", &options.report.reading.vmlinux, "file", "take the kernel's code from this ELF file"),
	TOP_REFUSED_OPTIONS,
	OPT_END(),
};

int cmd_top(int argc, char **argv)
{
	struct record_options *recording = &options.counting.recording;
	int ret;

	ret = record_options__parse(recording, argc, argv, top_options, top_usage);
	if (ret)
		return ret;
	if (argv[0])
		options__refuse_exit("  Error: unexpected argument `%s': perf top starts no command; -p watches one that runs\n", argv[0]);
	ret = top_options__settle(&options, argv);
	if (!ret && !(options.counting.live.own = top_output__new(&options)))
		ret = EXIT_SETUP;
	if (!ret)
		ret = sample_bpf_live__begin(&options.counting.live, recording, options.counting.shown_key, options.counting.max_stack);
	if (!ret)
		ret = watching__run(recording, argv, NULL, sample_bpf_tell__result);
	sample_bpf_live__exit(&options.counting.live);
	report_options__exit(&options.report);
	record_options__exit(recording);
	return ret;
}
