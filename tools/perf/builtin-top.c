// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "top"
#include "builtin.h"

#include "cmd/report/options.h"
#include "cmd/sample-bpf/tell.h"
#include "cmd/top/options.h"

static struct top_options options = TOP_OPTIONS_INIT(options);
static bool stdio;

static const char *const top_usage[] = {
	"perf top [<options>]",
	NULL,
};

#define RECORD "'perf record -g' and 'perf report' show callers"

static const struct option_row top_options[] = {
	OPT_GROUP("What is sampled"),
	RECORD_OPTIONS_WHAT(options.counting.recording),
	RECORD_OPTIONS_OFF_CPU(options.counting.recording),
	OPT_GROUP("Who is sampled"),
	RECORD_OPTIONS_WHO(options.counting.recording),
	OPT_GROUP("What is shown"),
	OPT_UINT('d', "delay", &options.delay, "seconds", "show a new table after this time (2)"),
	OPT_BOOL('z', "zero", &options.zero, "show only what was hit since the last table; else older hits fade away"),
	OPT_STRING_OF('s', "sort", &options.view.sort, "key,...", "group samples by: comm, dso, symbol, cpu, pid, tid (" TOP_SORT ")",
		      top_options__list_keys),
	OPT_BOOL('K', "hide_kernel_symbols", &options.view.hide_kernel, "hide the kernel's functions"),
	OPT_BOOL('U', "hide_user_symbols", &options.view.hide_user, "hide functions of programs"),
	OPT_UINT('E', "entries", &options.view.entries, "n", "show at most this many rows"),
	OPT_BOOL('n', "show-nr-samples", &options.view.show_samples, "show a column with the number of samples"),
	OPT_BOOL(0, "stdio", &stdio, "print text, which is always done"),
	OPT_GROUP("How"),
	RECORD_OPTIONS_BUFFERS(options.counting.recording),
	OPT_UINT(0, "max-keys", &options.counting.counting.max_keys, "n", "keep room in the kernel for this many different addresses at a time"),
	OPT_INCR('v', "verbose", &options.counting.recording.verbose, "print more messages"),
	OPT_REFUSED('g', NULL, NULL, OPTION_NOARG, "callers are not shown live: " RECORD),
	OPT_REFUSED(0, "call-graph", "mode", 0, "callers are not shown live: " RECORD),
	OPT_REFUSED(0, "children", NULL, OPTION_NOARG, "callers are not shown live: " RECORD),
	OPT_REFUSED(0, "tui", NULL, OPTION_NOARG, "tables are shown as text: take --stdio"),
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
	if (!ret)
		ret = sample_bpf_live__begin(&options.counting.live, recording, options.counting.shown_key, options.counting.max_stack);
	if (!ret)
		ret = record_options__run(recording, sample_bpf_tell__result);
	sample_bpf_live__exit(&options.counting.live);
	record_options__exit(recording);
	return ret;
}
