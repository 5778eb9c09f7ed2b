// SPDX-License-Identifier: GPL-2.0
#include "builtin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/pass-on.h"
#include "cmd/read/options.h"
#include "cmd/script/options.h"
#include "cmd/script/output.h"
#include "ui/session-stdio.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/session/session.h"

/* For what libraries print piece by piece; samples are gathered elsewhere, and what is more than this goes to the kernel as it is. */
#define OUTPUT_BUFFER (32 << 10)

static struct read_options reading = READ_OPTIONS_INIT("pager.script");
static struct script_options options = SCRIPT_OPTIONS_INIT;

static const char *const script_usage[] = {
	"perf script [<options>]",
	"perf script [<options>] record <script> [<record-options>] <command>",
	"perf script [<options>] report <script> [script-args]",
	"perf script [<options>] <script> [<record-options>] <command>",
	NULL,
};

#define SHOWN(name, help) \
	OPT_CALLBACK_FLAGS(0, name, &options, NULL, help, script_options__parse_shown, OPTION_NOARG)
#define HANDED_ON(letter, name, argh, help, flags) \
	OPT_CALLBACK_FLAGS(letter, name, &options, argh, help, script_options__hand_on, flags)
/* Options of other perfs; why stands in the place of the help, which is not shown. */
#define REFUSED(name, argh, why, flags) \
	OPT_CALLBACK_FLAGS(0, name, &options, argh, why, script_options__refuse, OPTION_HIDDEN | (flags))
#define NO_DECODER "traces of the hardware are not decoded here"
#define NO_GUESTS "guests are not told from their host here"

static const struct option_row script_options[] = {
	READ_OPTIONS(reading),
	OPT_CALLBACK('F', "fields", &options, "[type:]field,...",
		     "what to print: comm, tid, pid, time, cpu, event, trace, ip, sym, dso, ... (see perf-script(1)); +field adds to the "
		     "defaults, -field takes away; type: hw, sw, trace, raw, break", script_options__parse_fields),
	OPT_BOOL('G', "hide-call-graph", &options.hide_chains, "show no callchains, but the address of the sample"),
	OPT_BOOL(0, "merge-callchains", &reading.merge_callchains,
		 "put user callchains that were deferred behind those of their samples (default)"),
	OPT_STRING(0, "stop-bt", &options.stop_at, "symbol,...", "show callchains up to one of these functions"),
	OPT_BOOL(0, "ns", &options.ns, "show times in nanoseconds"),
	OPT_BOOL(0, "reltime", &options.relative, "show times from the first line on"),
	OPT_BOOL(0, "deltatime", &options.delta, "show times since the line before"),
	OPT_BOOL('L', "Latency", &options.latency, "narrow columns for command and CPU"),
	OPT_BOOL(0, "full-source-path", &options.full_source_path, "show source files with their directories"),
	OPT_BOOL(0, "show-kernel-path", &options.kernel_path, "show the path of the kernel's file instead of [kernel.kallsyms]"),
	OPT_GROUP("Which samples"),
	SELECTION_OPTIONS_DSOS(options.selection, 0),
	OPT_U64(0, "addr-range", &options.selection.addr_range, "bytes", "with addresses in -S: and so many bytes behind each"),
	SAMPLE_SWITCH_OPTIONS(options.selection.switches),
	OPT_GROUP("Other records"),
	SHOWN("show-task-events", "show fork, comm and exit records"),
	SHOWN("show-mmap-events", "show mmap records"),
	SHOWN("show-switch-events", "show context switch records"),
	SHOWN("show-namespace-events", "show namespace records"),
	SHOWN("show-lost-events", "show records of lost and of dropped samples"),
	SHOWN("show-round-events", "show the end of each round of writing"),
	SHOWN("show-bpf-events", "show records of BPF programs"),
	SHOWN("show-cgroup-events", "show cgroup records"),
	SHOWN("show-text-poke-events", "show changes of the kernel's code"),
	OPT_BOOL('D', "dump-raw-trace", &options.dump, "show the bytes and the contents of each record"),
	OPT_BOOL('d', "debug-mode", &options.check_order, "print no samples, but tell of those that are out of order"),
	READ_HEADER_OPTIONS(reading),
	OPT_BOOL(0, "per-event-dump", &options.per_event, "write the samples of each event to a file of its own, INPUT.EVENT.dump"),
	OPT_GROUP("Left to the distribution's perf"),
	HANDED_ON('s', "script", "name", "process the samples with this script", 0),
	HANDED_ON('g', "gen-script", "language", "write the frame of a script", 0),
	HANDED_ON('l', "list", NULL, "list the scripts there are", OPTION_NOARG),
	HANDED_ON(0, "dlfilter", "file", "filter samples with this shared object", 0),
	HANDED_ON(0, "dlarg", "argument", "an argument for it", 0),
	HANDED_ON(0, "list-dlfilters", NULL, "list the shared objects there are", OPTION_NOARG),
	OPT_BOOL('a', "all-cpus", &options.all_cpus, "with a script: record all CPUs"),
	REFUSED("itrace", "opts", NO_DECODER, OPTION_OPTARG),
	REFUSED("call-trace", NULL, NO_DECODER, OPTION_OPTARG),
	REFUSED("call-ret-trace", NULL, NO_DECODER, OPTION_OPTARG),
	REFUSED("insn-trace", "raw|disasm", NO_DECODER, OPTION_OPTARG),
	REFUSED("xed", NULL, "instructions are shown as bytes (field insn), not in words", OPTION_OPTARG),
	REFUSED("graph-function", "symbol", NO_DECODER, 0),
	REFUSED("max-blocks", "n", "it belongs to the field brstackinsn, which is not shown here", 0),
	REFUSED("stitch-lbr", NULL, "callchains made of branch records are not stitched here", OPTION_NOARG),
	REFUSED("dump-unsorted-raw-trace", NULL, "records are shown in the order of time only: use -D", OPTION_NOARG),
	REFUSED("guest-code", NULL, NO_GUESTS, OPTION_NOARG),
	REFUSED("guestmount", "directory", NO_GUESTS, 0),
	REFUSED("guestvmlinux", "file", NO_GUESTS, 0),
	REFUSED("guestkallsyms", "file", NO_GUESTS, 0),
	REFUSED("guestmodules", "file", NO_GUESTS, 0),
	OPT_END(),
};

static void check_options(void)
{
	if (options.refused)
		options__usage_exit(script_options, script_usage, "  Error: --%s: %s; the perf of the distribution may do it\n",
				    options.refused, options.why);
	if (options.all_cpus)
		options__usage_exit(script_options, script_usage, "  Error: -a is for recording, with a script: use perf record -a\n");
	if (options.relative && options.delta)
		options__usage_exit(script_options, script_usage,
				    "reltime and deltatime - the two don't get along well. Please limit to --reltime or --deltatime.\n");
}

static int read_all(struct session *s, struct script_output *out, struct errmsg *err)
{
	int ret = script_output__init(out, s, reading.vmlinux, err);

	if (ret)
		return ret;
	read_options__start_pager(&reading);
	if (reading.header.shown)
		read_options__print_header(&reading, s);
	ret = session__run(s, script_output__ops(out, s), out, err);
	return ret ?: script_output__finish(out, err);
}

/* Returns the exit status. */
static int run(struct session *s)
{
	struct script_output out = { .options = &options, .input = reading.input };
	struct errmsg err = { "" };
	int ret, status;

	ret = selection__init(&options.selection, s, &err);
	status = ret == -EINVAL ? EXIT_USAGE : EXIT_SETUP;
	ret = ret ?: read_all(s, &out, &err);
	script_output__exit(&out);
	selection__exit(&options.selection);
	if (ret)
		pr_err("%s\n", err.text);
	else
		session__warn(s, reading.input);
	return ret ? status : 0;
}

static int read_input(void)
{
	struct session *session;
	int ret;

	read_options__choose_input(&reading);
	if (reading.header.only)
		return read_options__print_header_only(&reading);
	setvbuf(stdout, NULL, _IOFBF, OUTPUT_BUFFER);
	reading.merge_callchains &= !options.dump;
	reading.no_chain_notes = true;
	if (!reading.merge_callchains && !options.dump)
		options.shown |= SCRIPT_SHOW_DEFERRED;
	session = read_options__open(&reading, !options.dump && !options.selection.dsos && !options.selection.symbols &&
					       !script_fields__need_symbols(&options.fields));
	if (!session)
		return EXIT_SETUP;
	ret = run(session);
	session__delete(session);
	return ret;
}

int cmd_script(int argc, char **argv)
{
	char **words = malloc(argc * sizeof(*words)); /* the parser puts them into another order */
	int nr_words = argc, ret;

	if (!words) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	memcpy(words, argv, argc * sizeof(*words));
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
