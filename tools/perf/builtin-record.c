// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "builtin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/config-defaults.h"
#include "cmd/record/bundle.h"
#include "cmd/record/callgraph.h"
#include "cmd/record/contents.h"
#include "cmd/record/files.h"
#include "cmd/record/options.h"
#include "cmd/record/refused.h"
#include "cmd/record/setup-filter.h"
#include "cmd/record/setup-token.h"
#include "cmd/record/tell.h"
#include "cmd/record/timing.h"
#include "ui/record-progress.h"
#include "util/lib/log.h"
#include "util/record/attrs.h"

static struct record_options recording = RECORD_OPTIONS_INIT;
static struct record_bundle bundle = RECORD_BUNDLE_INIT;
static const char *setup_filter, *setup_token;
static bool recorded;
static bool per_thread, latency;

static const char *const record_usage[] = {
	"perf record [<options>] [<command>]",
	"perf record [<options>] -- <command> [<options>]",
	NULL,
};

static const struct option_row record_options[] = {
	OPT_GROUP("What is sampled"),
	RECORD_OPTIONS_WHAT(recording),
	OPT_BOOL(0, "group", &recording.one_group, "put all events into one group, which counts together or not at all"),
	RECORD_OPTIONS_OFF_CPU(recording),
	RECORD_OPTIONS_OFF_CPU_SAMPLES(recording),
	OPT_BOOL(0, "all-user", &recording.opts.attr.all_user, "sample user space only"),
	OPT_BOOL(0, "all-kernel", &recording.opts.attr.all_kernel, "sample the kernel only"),
	OPT_GROUP("Who is sampled"),
	RECORD_OPTIONS_WHO(recording),
	OPT_BOOL(0, "per-thread", &per_thread, "use one ring buffer for each thread, not for each CPU; record no children"),
	OPT_BOOL(0, "exclude-perf", &recording.exclude_perf, "do not record perf itself"),
	OPT_GROUP("When"),
	RECORD_OPTIONS_TIMING(recording.opts),
	OPT_GROUP("What a sample holds"),
	OPT_CALLBACK(0, "fields", &recording, "list", "add data of the kernel to the samples of the last -e: skb->dev->name,skb->len",
		     record_options__parse_fields),
	RECORD_OPTIONS_CALLGRAPH(recording.opts.attr.callgraph),
	RECORD_OPTION_INTERP(recording.opts),
	RECORD_OPTION_UNWIND_MEMORY(recording.opts),
	RECORD_OPTION_MAX_STACK(recording.opts.attr),
	OPT_BOOL(0, "user-callchains", &recording.opts.attr.no_kernel_callchain, "record callchains of user space only"),
	OPT_BOOL(0, "kernel-callchains", &recording.opts.attr.no_user_callchain, "record callchains of the kernel only"),
	RECORD_OPTIONS_CONTENTS(recording.opts.attr),
	OPT_GROUP("What else is recorded"),
	OPT_BOOL('n', "no-samples", &recording.opts.attr.no_samples, "take no samples, only count (for -s)"),
	OPT_BOOL('s', "stat", &recording.opts.attr.stat, "record the counts of each thread when it ends"),
	OPT_BOOL(0, "running-time", &recording.opts.attr.running_time, "record how long each event was enabled and running"),
	OPT_BOOL(0, "switch-events", &recording.opts.attr.switches, "record context switches"),
	OPT_BOOL(0, "latency", &latency, "record what report --latency needs: context switches"),
	OPT_BOOL(0, "namespaces", &recording.opts.attr.namespaces, "record the namespaces of tasks"),
	OPT_BOOL(0, "no-bpf-event", &recording.opts.attr.no_bpf, "do not record BPF programs; their code will have no names"),
	OPT_BOOL(0, "all-cgroups", &recording.opts.attr.cgroups, "record cgroups, and in each sample the cgroup of its task"),
	OPT_GROUP("How"),
	OPT_STRING(0, "setup-filter", &setup_filter, "action", "record nothing, but let users without privilege filter (as root): "
		   "pin[=USER|@GROUP], unpin[=USER|@GROUP], status"),
	OPT_STRING(0, "setup-token", &setup_token, "target", "record nothing, but delegate BPF to a user namespace (as root): "
		   "PID, NAMESPACE-FILE or UNIT; with ,tracing also programs on tracepoints"),
	RECORD_OPTIONS_FILES(recording.opts),
	RECORD_OPTION_BUNDLE(bundle),
	RECORD_OPTION_DROPPED(recording.opts),
	RECORD_OPTIONS_BUFFERS(recording),
	OPT_BOOL(0, "no-buffering", &recording.opts.attr.no_buffering, "fetch each sample at once"),
	OPT_INT('r', "realtime", &recording.opts.realtime, "priority", "record with this priority of SCHED_FIFO"),
	OPT_BOOL(0, "dry-run", &recording.dry_run, "check the command line only; with -v show the compiled filters"),
	OPT_BOOL('q', "quiet", &recording.quiet, "print errors only"),
	OPT_INCR('v', "verbose", &recording.verbose, "show how events were opened, and what each test of the filters did"),
	RECORD_REFUSED_OPTIONS,
	OPT_END(),
};

static int set_up(char **argv)
{
	if (setup_filter && setup_token)
		options__refuse_exit("--setup-filter and --setup-token exclude each other\n");
	if (argv[0])
		options__refuse_exit("%s takes no command: it records nothing\n", setup_filter ? "--setup-filter" : "--setup-token");
	return setup_filter ? record_setup_filter__run(setup_filter) : record_setup_token__run(setup_token);
}

/* A recorded command has the terminal for itself. */
static bool wants_progress(void)
{
	const struct record_opts *opts = &recording.opts;

	return isatty(STDERR_FILENO) && !recording.quiet && (opts->run.system_wide || opts->run.pids || opts->run.tids);
}

static const struct config_default record_config[] = {
	{ "record.build-id", "no-buildid", "skip" },
	{ "record.build-id", "no-buildid-cache", "no-cache" },
	{ "record.build-id", "keep-files", "cache" },
	{},
};

static void tell(struct record_options *o, const struct record_result *result)
{
	recorded = true;
	record_tell__result(o, result);
}

/* The file descriptors and memory of the recording are free by then. */
static int record_and_bundle(void)
{
	int ret = record_options__run(&recording, tell);

	return bundle.wanted && recorded ? record_bundle__make(&bundle, &recording.opts) ?: ret : ret;
}

static int record_all(char **argv)
{
	struct record_opts *opts = &recording.opts;
	int ret;

	opts->no_inherit |= per_thread;
	opts->attr.switches |= latency;
	ret = record_callgraph__check(&opts->attr.callgraph) ?: record_files__settle(opts) ?: record_bundle__settle(&bundle, opts) ?:
	      record_options__settle(&recording, argv);
	if (ret)
		return ret;
	if (per_thread && opts->run.system_wide)
		options__refuse_exit("--per-thread goes with a command, -p or -t only\n");
	if (wants_progress())
		opts->progress = record_progress__show;
	return record_and_bundle();
}

static int record_as(int argc, char **argv, const char *const *usages)
{
	int ret = config_defaults__apply(record_config, &argc, &argv) ?:
			  record_options__parse(&recording, argc, argv, record_options, usages);

	if (!ret)
		ret = setup_filter || setup_token ? set_up(argv) : record_all(argv);
	record_bundle__exit(&bundle);
	record_options__exit(&recording);
	record_files__exit(&recording.opts);
	return ret;
}

int cmd_record(int argc, char **argv)
{
	return record_as(argc, argv, record_usage);
}

int cmd_record_with(const char *const *words, unsigned int nr, int argc, char **argv, const char *const *usages)
{
	char **all = calloc(nr + argc, sizeof(*all));
	int ret;

	if (!all) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	memcpy(all, words, nr * sizeof(*all));
	memcpy(all + nr, argv + 1, (argc - 1) * sizeof(*all)); /* and the last one is NULL */
	ret = record_as(nr + argc - 1, all, usages);
	free(all);
	return ret;
}
