// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "builtin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/config-defaults.h"
#include "cmd/record/contents.h"
#include "cmd/record/files.h"
#include "cmd/record/options.h"
#include "cmd/record/timing.h"
#include "ui/record-progress.h"
#include "util/bpf/kernel-table.h"
#include "util/lib/log.h"
#include "util/perfdata/reg-name.h"
#include "util/record/attrs.h"
#include "util/judge/filter-pins.h"

static struct record_options recording = RECORD_OPTIONS_INIT;
static const char *setup_filter;
static bool per_thread;

static const char *const record_usage[] = {
	"perf record [<options>] [<command>]",
	"perf record [<options>] -- <command> [<options>]",
	NULL,
};

static int parse_callgraph(const struct option_row *row, const char *arg, bool unset)
{
	static const char *const modes[] = { "call-graph.record-mode", "record.call-graph", NULL };
	static const char *const sizes[] = { "call-graph.dump-size", NULL };

	struct callgraph *callgraph = &recording.opts.attr.callgraph;
	struct errmsg err;
	const char *size;
	int ret;

	*callgraph = (struct callgraph){ .mode = CALLGRAPH_NONE };
	if (unset)
		return 0;
	if (!arg)
		arg = config_defaults__get(modes) ?: "fp";
	ret = callgraph__parse(callgraph, arg, &err);
	size = !ret && !strcmp(arg, "dwarf") ? config_defaults__get(sizes) : NULL;
	if (size)
		ret = callgraph__parse_stack_dump(&callgraph->stack_dump, size, &err);
	if (ret)
		pr_err("--call-graph: %s\n", err.text);
	if (ret || callgraph->mode != CALLGRAPH_DWARF || regs_of_user())
		return ret ? -1 : 0;
	pr_err("--call-graph dwarf is not known for this machine: take callchains by frame pointers, --call-graph fp\n");
	return -1;
}

static const struct option_row record_options[] = {
	OPT_GROUP("What is sampled"),
	RECORD_OPTIONS_WHAT(recording),
	OPT_BOOL(0, "group", &recording.one_group, "all events form one group: they count together or not at all"),
	RECORD_OPTIONS_OFF_CPU(recording),
	RECORD_OPTIONS_OFF_CPU_SAMPLES(recording),
	OPT_BOOL(0, "all-user", &recording.opts.attr.all_user, "of every event only what happens in user space"),
	OPT_BOOL(0, "all-kernel", &recording.opts.attr.all_kernel, "of every event only what happens in the kernel"),
	OPT_GROUP("Who is sampled"),
	RECORD_OPTIONS_WHO(recording),
	OPT_BOOL(0, "per-thread", &per_thread, "a ring for each thread, instead of one for each CPU; without children"),
	OPT_BOOL(0, "exclude-perf", &recording.exclude_perf, "not what perf does itself"),
	OPT_GROUP("When"),
	RECORD_OPTIONS_TIMING(recording.opts),
	OPT_GROUP("What a sample holds"),
	OPT_CALLBACK_FLAGS('g', NULL, NULL, NULL, "callchains", parse_callgraph, OPTION_NOARG),
	OPT_CALLBACK(0, "call-graph", NULL, "mode", "callchains, by frame pointers: fp, or fp,defer for the user's part on the way "
		     "back from the kernel; or by copies of the stack: dwarf[,size]; or by the CPU's branch records: lbr", parse_callgraph),
	OPT_BOOL(0, "user-callchains", &recording.opts.attr.no_kernel_callchain, "of callchains only the user's part"),
	OPT_BOOL(0, "kernel-callchains", &recording.opts.attr.no_user_callchain, "of callchains only the kernel's part"),
	RECORD_OPTIONS_CONTENTS(recording.opts.attr),
	OPT_GROUP("What else is recorded"),
	OPT_BOOL('n', "no-samples", &recording.opts.attr.no_samples, "not the samples: count only, for -s"),
	OPT_BOOL('s', "stat", &recording.opts.attr.stat, "the counts of each thread, at its end"),
	OPT_BOOL(0, "running-time", &recording.opts.attr.running_time, "with what events have counted, how long they did"),
	OPT_BOOL(0, "switch-events", &recording.opts.attr.switches, "when tasks came to a CPU and left it"),
	OPT_BOOL(0, "namespaces", &recording.opts.attr.namespaces, "the namespaces of tasks"),
	OPT_BOOL(0, "no-bpf-event", &recording.opts.attr.no_bpf, "not the BPF programs, by which their code has names"),
	OPT_BOOL(0, "all-cgroups", &recording.opts.attr.cgroups, "control groups, and with each sample that of its task"),
	OPT_GROUP("How"),
	OPT_STRING(0, "setup-filter", &setup_filter, "action", "record nothing, but let users without privilege filter (as root): "
		   "pin[=USER|@GROUP], unpin[=USER|@GROUP], status"),
	RECORD_OPTIONS_FILES(recording.opts),
	RECORD_OPTIONS_BUFFERS(recording),
	OPT_BOOL(0, "no-buffering", &recording.opts.attr.no_buffering, "fetch each sample at once"),
	OPT_INT('r', "realtime", &recording.opts.realtime, "priority", "record with this priority of SCHED_FIFO"),
	OPT_BOOL(0, "dry-run", &recording.dry_run, "check the command line only; with -v show what becomes of the filters"),
	OPT_BOOL('q', "quiet", &recording.quiet, "print errors only"),
	OPT_INCR('v', "verbose", &recording.verbose, "show the settings that the events were opened with, and what the filters' tests did"),
	OPT_END(),
};

static void tell_filtered(const struct evlist *evlist, const struct record_result *result)
{
	unsigned int i, nr = 0;

	for (i = 0; i < evlist->nr; i++)
		nr += result->counts[i].filtered;
	for (i = 0; i < evlist->nr; i++) {
		const struct sampler_counts *c = &result->counts[i];

		if (!c->filtered)
			continue;
		pr_info("%s%sfilter: %" PRIu64 " samples seen, %" PRIu64 " kept, %" PRIu64 " dropped\n",
			nr > 1 ? evlist->evsel[i]->name : "", nr > 1 ? ": " : "", c->seen, c->seen - c->dropped, c->dropped);
		if (c->judged)
			pr_debug("%" PRIu64 " of them were judged afterwards, as the memory map of their process was locked\n", c->judged);
		if (c->undecided)
			pr_info("%" PRIu64 " of those kept are undecided: the memory map of their process was locked, and so it could not "
				"be told which file the code is in\n", c->undecided);
	}
}

static void tell_off_cpu(const struct evlist *evlist, const struct record_result *result)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct offcpu_totals *t = result->counts[i].off_cpu;

		if (!t)
			continue;
		pr_info("%s: %" PRIu64 " sleeps: %" PRIu64 " long, %" PRIu64 " not over, %" PRIu64 " short ones in %" PRIu64 " sums; "
			"%" PRIu64 " different stacks\n", evlist->evsel[i]->name, t->sent + t->asleep + t->summed + t->spilled, t->sent,
			t->asleep, t->summed + t->spilled, t->sums + t->spilled, t->stacks);
		if (result->counts[i].lost)
			pr_warn("%.3f ms of off-cpu time are lost with their samples\n", t->lost_ns / 1e6);
		if (t->lost_stacks)
			pr_warn("%" PRIu64 " sleeps have no stack: the ring buffer was full, take a larger one (-m)\n", t->lost_stacks);
		if (result->counts[i].untracked)
			pr_warn("%" PRIu64 " times a task could not be followed: no memory was left in the kernel\n",
				result->counts[i].untracked);
		if (*t->note)
			pr_warn("%s\n", t->note);
	}
}

static void tell_lost(const struct evlist *evlist, const struct record_result *result)
{
	u64 lost = 0, paused = 0, untracked = 0;
	bool known = true;
	unsigned int i;

	for (i = 0; i < evlist->nr; i++) {
		u64 *cause = evlist->evsel[i]->attr.write_backward ? &paused : &lost;

		untracked += result->counts[i].untracked;
		*cause += evlist->evsel[i]->side_band ? 0 : result->counts[i].lost;
		known &= result->counts[i].lost_known;
	}
	if (known ? lost : result->nr_lost)
		pr_warn("%" PRIu64 " %s were lost because the ring buffers were full: take larger ones (-m), or fewer samples (-F, -c, "
			"--filter)\n", known ? lost : result->nr_lost, known ? "samples" : "records");
	if (result->nr_lost_side_band)
		pr_warn("%" PRIu64 " records of maps and tasks were lost because the ring buffers were full: some samples may lack names. Take "
			"larger ones (-m)\n", result->nr_lost_side_band);
	if (paused)
		pr_warn("%" PRIu64 " samples are in no file, as they came while the ring buffers were read (--overwrite)\n", paused);
	if (untracked)
		pr_warn("BPF programs could not follow %" PRIu64 " tasks, for lack of memory: their samples are missing\n", untracked);
}

static void tell_cut_stacks(const struct record_result *result)
{
	unsigned int percent = user_stacks__percent_cut(&result->user_stacks);

	if (percent >= 50)
		pr_info("About %u %% of the user stacks are cut, as the programs were built without frame pointers: record them whole with "
			"--call-graph dwarf\n", percent);
}

static void tell_result(const struct record_options *o, const struct record_result *result)
{
	char samples[40] = "";

	record_progress__clear();
	if (result->nr_samples)
		snprintf(samples, sizeof(samples), " (%" PRIu64 " samples)", result->nr_samples);
	pr_info("[ perf record: Woken up %u times to write data ]\n", result->wakeups);
	pr_info("[ perf record: Captured and wrote %.3f MB %s%s%s ]\n", result->bytes / 1024.0 / 1024.0, o->opts.output,
		o->opts.switching.on || o->opts.timestamp_filename ? ".<timestamp>" : "", samples);
	tell_filtered(o->evlist, result);
	tell_off_cpu(o->evlist, result);
	if (result->nr_overwritten)
		pr_info("%" PRIu64 " earlier samples gave way to these in the ring buffers (--overwrite)\n", result->nr_overwritten);
	tell_lost(o->evlist, result);
	tell_cut_stacks(result);
}

/* The action's name is what stands before '='; *owner gets what stands behind, NULL if nothing does. */
static bool is_action(const char *name, const char **owner)
{
	size_t len = strlen(name);

	if (strncmp(setup_filter, name, len) || (setup_filter[len] && setup_filter[len] != '='))
		return false;
	*owner = setup_filter[len] ? setup_filter + len + 1 : NULL;
	return true;
}

static int set_up_filters(char **argv)
{
	struct filter_owner owner;
	char owner_name[64];
	const char *name;
	struct errmsg err;
	int ret;

	if (argv[0])
		options__usage_exit(record_options, record_usage, "--setup-filter takes no command: it records nothing\n");
	if (is_action("status", &name) && !name) {
		ret = filter_pins__status(stdout, &err);
	} else if (is_action("unpin", &name) && !name) {
		ret = filter_pins__remove_all(&err);
	} else if (!is_action("pin", &name) && !is_action("unpin", &name)) {
		pr_err("--setup-filter takes pin[=USER|@GROUP], unpin[=USER|@GROUP] or status: not \"%s\"\n", setup_filter);
		return EXIT_USAGE;
	} else if (filter_owner__parse(name, &owner, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	} else {
		ret = *setup_filter == 'p' ? filter_pins__add(&owner, &err) : filter_pins__remove(&owner, &err);
	}
	if (ret)
		pr_err("%s\n", err.text);
	else if (*setup_filter == 'p')
		pr_info("%s can filter %u events at once; their programs are in " FILTER_PINS_DIR ", a bpffs of its own\n",
			filter_owner__name(&owner, owner_name, sizeof(owner_name)), FILTER_PINS_SLOTS);
	return ret ? EXIT_SETUP : 0;
}

/* A command that is recorded has the terminal for itself. */
static bool wants_progress(void)
{
	const struct record_opts *opts = &recording.opts;

	return isatty(STDERR_FILENO) && !recording.quiet && (opts->system_wide || opts->pids || opts->tids);
}

/* Stacks that are silently not what was asked for help nobody: returns an exit status. */
static int check_deferred(void)
{
	char lacks[160];

	if (!recording.opts.attr.callgraph.defer || kernel_offer__probe(KERNEL_DEFER_CALLCHAIN) != KERNEL_LACKS)
		return 0;
	pr_err("--call-graph fp,defer needs %s: take --call-graph fp\n",
	       kernel_offer__explain(KERNEL_DEFER_CALLCHAIN, lacks, sizeof(lacks)));
	return EXIT_SETUP;
}

static const struct config_default record_config[] = {
	{ "record.build-id", "no-buildid", "skip" },
	{},
};

int cmd_record(int argc, char **argv)
{
	int ret = config_defaults__apply(record_config, &argc, &argv) ?: record_options__parse(&recording, argc, argv, record_options, record_usage);

	if (!ret && setup_filter) {
		ret = set_up_filters(argv);
	} else if (!ret) {
		recording.opts.no_inherit |= per_thread;
		ret = check_deferred() ?: record_files__settle(&recording.opts) ?: record_options__settle(&recording, argv);
		if (!ret && per_thread && recording.opts.system_wide)
			options__usage_exit(record_options, record_usage, "--per-thread goes with a command, -p or -t only\n");
		if (!ret && wants_progress())
			recording.opts.progress = record_progress__show;
		if (!ret)
			ret = record_options__run(&recording, tell_result);
	}
	record_options__exit(&recording);
	record_files__exit(&recording.opts);
	return ret;
}
