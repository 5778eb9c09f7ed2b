// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/pass-on.h"
#include "cmd/script/left-out.h"
#include "cmd/script/output.h"
#include "ui/script/fields.h"
#include "util/lib/log.h"
#include "util/lib/pages.h"
#include "util/session/session.h"

/* For libraries that print piece by piece; samples are collected elsewhere, and larger output goes to the kernel directly. */
#define OUTPUT_BUFFER (32 << 10)

static struct script_options options = SCRIPT_OPTIONS_INIT;

static const char *const script_usage[] = {
	"perf script [<options>]",
	"perf script [<options>] record <script> [<record-options>] <command>",
	"perf script [<options>] report <script> [script-args]",
	"perf script [<options>] <script> [<record-options>] <command>",
	NULL,
};

static const struct option_row script_options[] = {
	READ_OPTIONS(options.reading),
	OPT_CALLBACK_OF('F', "fields", &options, "[type:]field,...",
			"what to print: comm, tid, pid, time, cpu, event, trace, ip, sym, dso, ... (see perf-script(1)); +field adds to the "
			"defaults, -field takes away; type: hw, sw, trace, raw, break", script_options__parse_fields, script_fields__list),
	OPT_BOOL('G', "hide-call-graph", &options.hide_chains, "show the address of the sample instead of its callchain"),
	OPT_BOOL(0, "merge-callchains", &options.reading.merge_callchains,
		 "append deferred user callchains to those of their samples (default)"),
	OPT_STRING(0, "stop-bt", &options.stop_at, "symbol,...", "end callchains at one of these functions"),
	OPT_BOOL(0, "ns", &options.ns, "show times in nanoseconds"),
	OPT_BOOL(0, "reltime", &options.relative, "show times relative to the first line"),
	OPT_BOOL(0, "deltatime", &options.delta, "show times relative to the previous line"),
	OPT_BOOL('L', "Latency", &options.latency, "make the columns of command and CPU narrow"),
	OPT_BOOL(0, "full-source-path", &options.full_source_path, "show source files with their directories"),
	OPT_BOOL(0, "show-kernel-path", &options.kernel_path, "show the path of the kernel's file instead of [kernel.kallsyms]"),
	OPT_GROUP("Which samples"),
	SELECTION_OPTIONS_DSOS(options.selection, 0),
	OPT_U64(0, "addr-range", &options.selection.addr_range, "bytes", "with addresses in -S, also show this many bytes after each"),
	SAMPLE_SWITCH_OPTIONS(options.selection.switches),
	OPT_GROUP("Other records"),
	SCRIPT_SHOWN_OPTIONS(options),
	OPT_BOOL('D', "dump-raw-trace", &options.dump, "show the bytes and contents of each record"),
	OPT_BOOL('d', "debug-mode", &options.check_order, "print only the samples that are out of order"),
	READ_HEADER_OPTIONS(options.reading),
	OPT_BOOL(0, "per-event-dump", &options.per_event, "write the samples of each event to a file of its own, INPUT.EVENT.dump"),
	OPT_GROUP("Left to the distribution's perf"),
	SCRIPT_HANDED_ON_OPTIONS(options),
	OPT_BOOL('a', "all-cpus", &options.all_cpus, "with a script: record all CPUs"),
	SCRIPT_REFUSED_OPTIONS(options),
	OPT_END(),
};

static void check_options(void)
{
	const struct option_use outputs[] = {
		{ "-D", options.dump },
		{ "-d", options.check_order },
		{ "--per-event-dump", options.per_event },
		{ "--header-only", options.reading.header.only },
	};

	options__check_exclusive(outputs, ARRAY_SIZE(outputs));
	if (options.refused)
		options__refuse_exit("  Error: --%s: %s; the perf of the distribution may do it\n",
				     options.refused, options.why);
	if (options.all_cpus)
		options__refuse_exit("  Error: -a is for recording, with a script: use perf record -a\n");
	if (options.relative && options.delta)
		options__refuse_exit("reltime and deltatime - the two don't get along well. Please limit to --reltime or --deltatime.\n");
}

static int read_input(void)
{
	struct read_options *reading = &options.reading;
	struct session *session;
	int ret;

	read_options__choose_input(reading);
	if (reading->header.only)
		return read_options__print_header_only(reading);
	setvbuf(stdout, NULL, _IOFBF, OUTPUT_BUFFER);
	reading->merge_callchains &= !options.dump;
	if (!reading->merge_callchains && !options.dump)
		options.shown |= SCRIPT_SHOW_DEFERRED;
	session = read_options__open(reading, !options.dump && !options.selection.dsos && !options.selection.symbols &&
						      !script_fields__need_symbols(&options.fields));
	if (!session)
		return EXIT_SETUP;
	ret = script_output__run(&options, session);
	session__delete(session);
	return ret;
}

int cmd_script(int argc, char **argv)
{
	char **words = malloc(argc * sizeof(*words)); /* the parser reorders them */
	int nr_words = argc, ret;

	if (!words) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	memcpy(words, argv, argc * sizeof(*words));
	pages__return_freed(512 << 10);
	script_fields__init(&options.fields);
	argc = options__parse(argc, argv, script_options, script_usage, true);
	if (argc || options.handed_on) {
		ret = pass_on_part(nr_words, words, argc ? argv[0] : options.handed_on);
	} else {
		check_options();
		ret = read_input();
	}
	free(words);
	return ret;
}
