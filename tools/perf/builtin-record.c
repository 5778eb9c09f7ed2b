// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "builtin.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/event/attr-print.h"
#include "util/event/evsel.h"
#include "util/lib/log.h"
#include "util/lib/options.h"
#include "util/record/record.h"
#include "util/sampler/filter-pins.h"

#define DEFAULT_FREQ 4000
#define RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

static struct record_opts opts = { .freq = DEFAULT_FREQ, .output = "perf.data" };
static struct evlist *evlist;
static unsigned int last_event; /* first evsel of the last -e: --filter is for it and those after it */
static bool default_event;	/* a --filter before any -e has called for it */
static const char *setup_filter;
static bool freq_set, freq_max, time_option, dry_run, quiet, one_group;
static unsigned int nr_cgroups; /* events that a -G has passed */
static uid_t uid;
static bool uid_set;
static int verbose;

static const char *const record_usage[] = {
	"perf record [<options>] [<command>]",
	"perf record [<options>] -- <command> [<options>]",
	NULL,
};

static int refuse(const struct errmsg *err)
{
	pr_err("%s\n", err->text);
	return -1;
}

static int refuse_unset(const struct option_row *row)
{
	pr_err("--no-%s is not known: leave --%s out\n", row->long_name, row->long_name);
	return -1;
}

static int parse_event(const struct option_row *row, const char *arg, bool unset)
{
	struct errmsg err;

	if (unset)
		return refuse_unset(row);
	if (default_event) {
		pr_err("--filter stands before -e %s: put it behind the -e of its event\n", arg);
		return -1;
	}
	return evlist__parse(evlist, arg, &last_event, &err) ? refuse(&err) : 0;
}

static int parse_filter(const struct option_row *row, const char *arg, bool unset)
{
	struct errmsg err;
	unsigned int i;

	if (unset)
		return refuse_unset(row);
	if (!evlist->nr) {
		if (evlist__add_default(evlist, &err))
			return refuse(&err);
		default_event = true;
	}
	for (i = last_event; i < evlist->nr; i++) {
		if (evsel__add_filter(evlist->evsel[i], arg, &err))
			return refuse(&err);
	}
	return 0;
}

/* A number of at most max, nothing else */
static bool parse_uint(const char *arg, unsigned long max, unsigned long *value, const char **rest)
{
	char *end;

	errno = 0;
	*value = strtoul(arg, &end, 10);
	*rest = end;
	return *arg >= '0' && *arg <= '9' && !errno && *value <= max;
}

/* The next event that -G has not reached yet; "" passes it by. */
static int set_cgroup(const char *name, size_t len)
{
	struct evsel *evsel;

	if (nr_cgroups == evlist->nr) {
		pr_err("-G stands before the -e of its events, or names more cgroups than there are events before it\n");
		return -1;
	}
	evsel = evlist->evsel[nr_cgroups++];
	if (!len)
		return 0;
	evsel->cgroup = strndup(name, len);
	if (!evsel->cgroup)
		pr_err("out of memory\n");
	return evsel->cgroup ? 0 : -1;
}

static int parse_cgroups(const struct option_row *row, const char *arg, bool unset)
{
	const char *name = arg;
	size_t len;

	if (unset)
		return refuse_unset(row);
	for (;; name += len + 1) {
		len = strcspn(name, ",");
		if (set_cgroup(name, len))
			return -1;
		if (!name[len])
			break;
	}
	/* As upstream: the only one that was ever named is for all events so far. */
	if (nr_cgroups > 1 || !*arg)
		return 0;
	while (nr_cgroups < evlist->nr) {
		if (set_cgroup(arg, len))
			return -1;
	}
	return 0;
}

/* As upstream: a filter for each event, and, unless tasks are named, all tasks are looked at. */
static int parse_user(const struct option_row *row, const char *arg, bool unset)
{
	const struct passwd *passwd;
	unsigned long value;
	const char *rest;

	if (unset)
		return refuse_unset(row);
	passwd = getpwnam(arg);
	if (passwd) {
		uid = passwd->pw_uid;
	} else if (parse_uint(arg, UINT_MAX - 1, &value, &rest) && !*rest) {
		uid = value;
	} else {
		pr_err("-u takes a user's name or number, and there is no user \"%s\"\n", arg);
		return -1;
	}
	uid_set = true;
	return 0;
}

static int parse_freq(const struct option_row *row, const char *arg, bool unset)
{
	unsigned long value;
	const char *rest;

	if (unset)
		return refuse_unset(row);
	if (!strcmp(arg, "max")) {
		freq_max = true;
		value = record__max_freq();
		if (!value) {
			pr_err("-F max needs the kernel's limit, and " RATE_FILE " cannot be read\n");
			return -1;
		}
	} else if (!parse_uint(arg, UINT_MAX, &value, &rest) || *rest || !value) {
		pr_err("-F takes a number of samples a second, or max: not \"%s\"\n", arg);
		return -1;
	}
	opts.freq = value;
	freq_set = true;
	return 0;
}

static int parse_callgraph(const struct option_row *row, const char *arg, bool unset)
{
	if (!unset && arg && strcmp(arg, "fp")) {
		pr_err("--call-graph %s is not known: callchains are taken by frame pointers, --call-graph fp\n", arg);
		return -1;
	}
	opts.callchain = !unset;
	return 0;
}

/* Pages, or a size with a suffix; rounded up to a power of two of pages, which is what the kernel takes. */
static int parse_mmap_pages(const struct option_row *row, const char *arg, bool unset)
{
	static const char suffixes[] = "BKMG";
	unsigned long value, pages, page = sysconf(_SC_PAGESIZE);
	const char *rest, *suffix;

	if (unset)
		return refuse_unset(row);
	if (!parse_uint(arg, 1UL << 31, &value, &rest) || !value)
		goto wrong;
	if (*rest) {
		suffix = strchr(suffixes, *rest);
		if (!suffix || rest[1])
			goto wrong;
		value = ((value << 10 * (suffix - suffixes)) + page - 1) / page;
	}
	for (pages = 1; pages < value; pages *= 2)
		;
	if (pages > INT_MAX / page)
		goto wrong;
	opts.mmap_pages = pages;
	return 0;
wrong:
	pr_err("-m takes a number of pages, or a size with K, M or G, below 2G: not \"%s\"\n", arg);
	return -1;
}

static const struct option_row record_options[] = {
	OPT_GROUP("What is sampled"),
	OPT_CALLBACK('e', "event", NULL, "event", "event selector, several with commas between. See perf list", parse_event),
	OPT_CALLBACK(0, "filter", NULL, "filter", "keep only samples of the last -e that the filter accepts. See perf help filter",
		     parse_filter),
	OPT_U64('c', "count", &opts.period, "n", "take a sample every n events"),
	OPT_CALLBACK('F', "freq", NULL, "freq", "take this many samples a second, or max", parse_freq),
	OPT_BOOL(0, "group", &one_group, "all events form one group: they count together or not at all"),
	OPT_GROUP("Who is sampled"),
	OPT_BOOL('a', "all-cpus", &opts.system_wide, "all tasks on all CPUs; the default without a command or ids"),
	OPT_STRING('C', "cpu", &opts.cpus, "cpu", "all tasks on these CPUs only"),
	OPT_CALLBACK('G', "cgroup", NULL, "name", "with -a, of each event before it only what happens in this cgroup, several with "
		     "commas between", parse_cgroups),
	OPT_CALLBACK('u', "uid", NULL, "user", "all tasks, only what this user does", parse_user),
	OPT_STRING('p', "pid", &opts.pids, "pid", "existing processes"),
	OPT_STRING('t', "tid", &opts.tids, "tid", "existing threads"),
	OPT_BOOL('i', "no-inherit", &opts.no_inherit, "not the children and threads that start while recording"),
	OPT_GROUP("What a sample holds"),
	OPT_CALLBACK_FLAGS('g', NULL, NULL, NULL, "callchains", parse_callgraph, OPTION_NOARG),
	OPT_CALLBACK(0, "call-graph", NULL, "mode", "callchains, taken by frame pointers: fp", parse_callgraph),
	OPT_BOOL('d', "data", &opts.addr, "data addresses, and maps of data"),
	OPT_BOOL('T', "timestamp", &time_option, "times; always there"),
	OPT_BOOL('P', "period", &opts.sample_period, "periods; always there with -F"),
	OPT_BOOL(0, "sample-cpu", &opts.sample_cpu, "CPUs; always there with -a"),
	OPT_GROUP("How"),
	OPT_STRING(0, "setup-filter", &setup_filter, "action", "record nothing, but let users without privilege filter (as root): "
		   "pin[=USER|@GROUP], unpin[=USER|@GROUP], status"),
	OPT_STRING('o', "output", &opts.output, "file", "output file, else perf.data"),
	OPT_CALLBACK('m', "mmap-pages", NULL, "pages", "size of each ring buffer: pages, or a size with K, M or G", parse_mmap_pages),
	OPT_BOOL(0, "dry-run", &dry_run, "check the command line only; with -v show what becomes of the filters"),
	OPT_BOOL('q', "quiet", &quiet, "print errors only"),
	OPT_INCR('v', "verbose", &verbose, "show the settings that the events were opened with, and what the filters' tests did"),
	OPT_END(),
};

/* The habits of perf where options contradict each other: ids win over CPUs, those over the lack of both. */
static void settle_target(char **argv)
{
	opts.argv = argv[0] ? argv : NULL;
	if (opts.pids || opts.tids) {
		if (opts.pids && opts.tids) {
			pr_warn("PID switch overriding TID\n");
			opts.tids = NULL;
		}
		if (opts.cpus)
			pr_warn("PID/TID switch overriding CPU\n");
		if (opts.system_wide)
			pr_warn("PID/TID switch overriding SYSTEM\n");
		opts.cpus = NULL;
		opts.system_wide = false;
	} else if (opts.cpus || !opts.argv || uid_set) {
		opts.system_wide = true;
	}
}

static void settle_rate(void)
{
	unsigned int max = record__max_freq();

	if (opts.period && freq_set)
		options__usage_exit(record_options, record_usage, "cannot set frequency and period at the same time\n");
	opts.rate_set = opts.period || freq_set;
	if (freq_max)
		pr_info("info: Using a maximum frequency rate of %u Hz\n", opts.freq);
	if (!max || opts.freq <= max || opts.period)
		return;
	if (freq_set)
		pr_warn("warning: Maximum frequency rate (%u Hz) exceeded, throttling from %u Hz to %u Hz.\n"
			"         " RATE_FILE " holds the limit; the kernel lowers it when sampling takes too long.\n",
			max, opts.freq, max);
	else
		pr_warn("Lowering default frequency rate from %u to %u.\nSee " RATE_FILE ".\n", opts.freq, max);
	opts.freq = max;
}

static int settle_user(void)
{
	char filter[32];
	struct errmsg err;
	unsigned int i;

	snprintf(filter, sizeof(filter), "uid == %u", uid);
	for (i = 0; i < evlist->nr; i++) {
		if (evlist->evsel[i]->tp)
			options__usage_exit(record_options, record_usage, "-u is not for tracepoints such as %s: the kernel's filter for "
					    "them knows no users\n", evlist->evsel[i]->name);
		if (evsel__add_filter(evlist->evsel[i], filter, &err)) {
			pr_err("%s\n", err.text);
			return EXIT_USAGE;
		}
	}
	return 0;
}

static int settle_events(void)
{
	struct errmsg err;

	if (!evlist->nr && evlist__add_default(evlist, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	if (one_group)
		evlist__group(evlist, 0);
	if (nr_cgroups && !opts.system_wide)
		options__usage_exit(record_options, record_usage, "-G needs all tasks: -a or -C, without -p and -t\n");
	return uid_set ? settle_user() : 0;
}

static int settle(char **argv)
{
	settle_target(argv);
	settle_rate();
	if (!strcmp(opts.output, "-"))
		options__usage_exit(record_options, record_usage, "-o - is not known: the output must be a file\n");
	return settle_events();
}

static void tell(void *data, const char *text)
{
	pr_warn("%s\n", text);
}

static void tell_filtered(const struct record_result *result)
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
		if (c->undecided)
			pr_info("%" PRIu64 " of those kept are undecided: the memory map of their process was locked, and so it could not "
				"be told which file the code is in\n", c->undecided);
	}
}

static void tell_lost(const struct record_result *result)
{
	u64 lost = 0;
	bool known = true;
	unsigned int i;

	for (i = 0; i < evlist->nr; i++) {
		lost += result->counts[i].lost;
		known &= result->counts[i].lost_known;
	}
	if (known ? lost : result->nr_lost)
		pr_warn("%" PRIu64 " %s were lost because the ring buffers were full: take larger ones (-m), or fewer samples (-F, -c, "
			"--filter)\n", known ? lost : result->nr_lost, known ? "samples" : "records");
}

static void tell_result(const struct record_result *result)
{
	char samples[40] = "";

	if (result->nr_samples)
		snprintf(samples, sizeof(samples), " (%" PRIu64 " samples)", result->nr_samples);
	pr_info("[ perf record: Woken up %u times to write data ]\n", result->wakeups);
	pr_info("[ perf record: Captured and wrote %.3f MB %s%s ]\n", result->bytes / 1024.0 / 1024.0, opts.output, samples);
	tell_filtered(result);
	tell_lost(result);
}

/* What the events were opened with in the end */
static void tell_events(void)
{
	unsigned int i;

	for (i = 0; i < evlist->nr && log__enabled(LOG_DEBUG); i++) {
		fprintf(stderr, "%s: ", evlist->evsel[i]->name);
		attr__fprintf(stderr, &evlist->evsel[i]->attr);
		fputc('\n', stderr);
	}
}

static int record(struct record *rec)
{
	struct record_result result;
	struct errmsg err;
	int ret;

	ret = record__run(rec, &result, &err);
	tell_events();
	if (ret) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	tell_result(&result);
	if (opts.explain && record__dump_clauses(rec, stderr, &err))
		pr_warn("%s\n", err.text);
	return result.exit_code;
}

static int check_and_record(void)
{
	struct record *rec;
	struct errmsg err;
	int ret;

	ret = record__new(&opts, evlist, &rec, &err);
	if (ret) {
		pr_err("%s\n", err.text);
		return ret == -EINVAL ? EXIT_USAGE : EXIT_SETUP;
	}
	if (!dry_run)
		ret = record(rec);
	else if (verbose)
		record__dump_filters(rec, stdout);
	record__delete(rec);
	return ret;
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

int cmd_record(int argc, char **argv)
{
	const char **cmdline = calloc(argc + 1, sizeof(*cmdline));
	int ret = EXIT_SETUP;

	evlist = evlist__new();
	if (!cmdline || !evlist) {
		pr_err("out of memory\n");
		goto out;
	}
	memcpy(cmdline, argv, argc * sizeof(*cmdline)); /* parsing moves the words of argv */
	opts.version = perf_version;
	opts.note = tell;
	opts.cmdline_argc = argc;
	opts.cmdline_argv = cmdline;
	options__parse(argc, argv, record_options, record_usage, true);
	log__set_verbosity(verbose);
	opts.explain = verbose;
	log__set_quiet(quiet);
	if (setup_filter) {
		ret = set_up_filters(argv);
		goto out;
	}
	ret = settle(argv);
	if (!ret)
		ret = check_and_record();
out:
	evlist__delete(evlist);
	free(cmdline);
	return ret;
}
