// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "kwork"

#include "builtin.h"

#include <stdlib.h>
#include <string.h>
#include "cmd/kwork/options.h"
#include "cmd/kwork/record.h"
#include "cmd/kwork/run.h"
#include "util/lib/log.h"
#include "util/lib/types.h"

static struct kwork_options options = KWORK_OPTIONS_INIT(KWORK_VIEW_REPORT);

#define CLASS_OPTION(letter) \
	OPT_CALLBACK_OF(letter, "kwork", &options, "list", "show these: irq, softirq, workqueue, sched, tasklet, timer, hrtimer, ipi (irq,softirq,workqueue)", \
			kwork_options__parse_classes, kwork_options__list_classes)

#define INPUT_OPTION \
	OPT_STRING('i', "input", &options.reading.input, "file", "read this recording of perf kwork record; - is the standard input (perf.data)")

#define COMMON_OPTIONS \
	OPT_STRING('C', "cpu", &options.recording.opts.run.cpus, "cpu", "show what runs on these CPUs"), \
	OPT_STRING('n', "name", &options.name, "name", "show this name; * and ? match"), \
	OPT_INCR('v', "verbose", &options.recording.verbose, "print more messages"), \
	OPT_BOOL('q', "quiet", &options.recording.quiet, "print no notes"), \
	OPT_GROUP("Watching the system"), \
	OPT_BOOL('b', "use-bpf", &options.use_bpf, "watch the system in the kernel, even if there is a perf.data (default with a command)"), \
	OPT_STRING(0, "filter", &options.filter_text, "filter", "count runs and waits that the filter accepts. See perf help filter"), \
	OPT_UINT('M', "map-nr-entries", &options.kwork.max_rows, "n", "keep room in the kernel for this many rows and works (16384)"), \
	OPT_GROUP("Reading a recording"), \
	INPUT_OPTION, \
	OPT_STRING(0, "time", &options.times, "range,...", "show only this time: from,to in seconds, 10%/2 (the second tenth) or 10%-40%"), \
	OPT_BOOL('f', "force", &options.reading.force, "read files of other users, which is always done"), \
	OPT_STRING(0, "kallsyms", &options.reading.kallsyms, "file", "take the kernel's symbols from this copy of /proc/kallsyms"), \
	OPT_STRING(0, "symfs", &options.reading.symfs, "directory", "look for modules and vmlinux below this directory")

#define SORT_OPTION(keys) \
	OPT_CALLBACK_OF('s', "sort", &options, "keys", "sort by these: " keys, kwork_options__parse_sort, kwork_options__list_sorts)

#define VMLINUX_OPTION(letter) \
	OPT_STRING(letter, "vmlinux", &options.reading.vmlinux, "file", "take the kernel's symbols from this ELF file")

static const char *const report_usage[] = {
	"perf kwork report [<options>] [<command>]",
	"perf kwork report [<options>] -- <command> [<options>]",
	NULL,
};

static const struct option_row report_options[] = {
	OPT_GROUP("What is shown"),
	CLASS_OPTION('k'),
	SORT_OPTION("runtime, max, count"),
	OPT_BOOL('S', "with-summary", &options.summary, "show the sum of all, too"),
	COMMON_OPTIONS,
	VMLINUX_OPTION(0),
	OPT_END(),
};

static const char *const latency_usage[] = {
	"perf kwork latency [<options>] [<command>]",
	"perf kwork latency [<options>] -- <command> [<options>]",
	NULL,
};

static const struct option_row latency_options[] = {
	OPT_GROUP("What is shown"),
	CLASS_OPTION('k'),
	SORT_OPTION("avg, max, count"),
	OPT_BOOL(0, "stages", &options.stages, "show how long works waited for the limit of their workqueue, too"),
	COMMON_OPTIONS,
	VMLINUX_OPTION(0),
	OPT_END(),
};

static const char *const timehist_usage[] = {
	"perf kwork timehist [<options>] [<command>]",
	"perf kwork timehist [<options>] -- <command> [<options>]",
	NULL,
};

static const struct option_row timehist_options[] = {
	OPT_GROUP("What is shown"),
	CLASS_OPTION(0),
	COMMON_OPTIONS,
	VMLINUX_OPTION('k'),
	RECORD_OPTIONS_BUFFERS(options.recording),
	OPT_REFUSED('g', "call-graph", NULL, OPTION_NOARG, "this perf kwork timehist shows no stacks: take perf kwork record -g, and perf script"),
	OPT_REFUSED(0, "max-stack", "frames", 0, "this perf kwork timehist shows no stacks: take perf kwork record -g, and perf script"),
	OPT_END(),
};

static const char *const top_usage[] = {
	"perf kwork top [<options>] [<command>]",
	"perf kwork top [<options>] -- <command> [<options>]",
	NULL,
};

static const struct option_row top_options[] = {
	OPT_GROUP("What is shown"),
	CLASS_OPTION('k'),
	SORT_OPTION("rate, runtime, tid"),
	COMMON_OPTIONS,
	VMLINUX_OPTION(0),
	OPT_END(),
};

static const char *const record_usage[] = {
	"perf kwork [-k <list>] record [<options of perf record>] [<command>]",
	"perf kwork [-k <list>] record [<options of perf record>] -- <command> [<options>]",
	NULL,
};

static const char *const kwork_usage[] = {
	"perf kwork [<options>] report [<options>] [<command>]",
	"perf kwork [<options>] latency [<options>] [<command>]",
	"perf kwork [<options>] timehist [<options>] [<command>]",
	"perf kwork [<options>] top [<options>] [<command>]",
	"perf kwork [<options>] record [<options of perf record>] [<command>]",
	NULL,
};

/* Before the subcommand */
static const struct option_row kwork_options[] = {
	CLASS_OPTION('k'),
	INPUT_OPTION,
	OPT_INCR('v', "verbose", &options.recording.verbose, "print more messages"),
	OPT_BOOL('f', "force", &options.reading.force, "read files of other users, which is always done"),
	OPT_REFUSED('D', "dump-raw-trace", NULL, OPTION_NOARG, "take perf script -D to show the records of a file"),
	OPT_END(),
};

static const struct subcommand {
	const char *name;
	enum kwork_view view;
	const struct option_row *rows; /* NULL: record */
	const char *const *usages;
} subcommands[] = {
	{ "record", KWORK_VIEW_REPORT, NULL, record_usage },
	{ "report", KWORK_VIEW_REPORT, report_options, report_usage },
	{ "latency", KWORK_VIEW_LATENCY, latency_options, latency_usage },
	{ "timehist", KWORK_VIEW_TIMEHIST, timehist_options, timehist_usage },
	{ "top", KWORK_VIEW_TOP, top_options, top_usage },
};

/* Names may be shortened, as in other perfs; "rec" and "rep" differ. */
static const struct subcommand *find_subcommand(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++) {
		if (strlen(word) > 2 && !strncmp(subcommands[i].name, word, strlen(word)))
			return &subcommands[i];
	}
	return NULL;
}

static bool has_argument(const char *option)
{
	return !strcmp(option, "-k") || !strcmp(option, "--kwork") || !strcmp(option, "-i") || !strcmp(option, "--input");
}

/* The index of the subcommand: options before it may have an argument. */
static int find_word(int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-')
		i += has_argument(argv[i]) ? 2 : 1;
	return i;
}

int cmd_kwork(int argc, char **argv)
{
	const int at = find_word(argc, argv);
	const struct subcommand *found = at < argc ? find_subcommand(argv[at]) : NULL;
	char *word = at < argc ? argv[at] : NULL;

	if (!found && word && !options__ask_for_list(argc, argv)) {
		pr_err("perf kwork: '%s' is no subcommand. Take report, latency, timehist, top or record\n", word);
		return EXIT_USAGE;
	}
	if (!found || at > 1)
		options__parse(found ? at : argc, argv, kwork_options, kwork_usage, true);
	if (!found)
		options__usage_exit(kwork_options, kwork_usage);
	argv[at] = word;
	if (!found->rows && options.reading.input)
		options__refuse_exit("-i names a file to read, and perf kwork record writes one: give it -o\n");
	if (!found->rows)
		return kwork_record(options.classes, argc - at, argv + at, record_usage);
	options.view = found->view;
	return kwork_run(&options, argc - at, argv + at, found->rows, found->usages);
}
