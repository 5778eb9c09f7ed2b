// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "builtin.h"
#include "cmd/common/build-id-dir.h"
#include "cmd/common/target.h"
#include "cmd/record/filter-hints.h"
#include "ui/record-progress.h"
#include "util/bpf_skel/unwind-sample.h"
#include "util/event/attr-print.h"
#include "util/event/tracepoint.h"
#include "util/filter/filter.h"
#include "util/judge/bpf-filter.h"
#include "util/lib/advice.h"
#include "util/lib/failed-writes.h"
#include "util/lib/log.h"
#include "util/lib/memory-reader.h"
#include "util/lib/stream.h"
#include "util/lib/text.h"
#include "util/symbol/probe-finder.h"

#define RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

static int refuse(const struct errmsg *err)
{
	pr_err("%s\n", err->text);
	return -1;
}

int record_options__refuse_unset(const struct option_row *row)
{
	pr_err("--no-%s is not known: leave --%s out\n", row->long_name, row->long_name);
	return -1;
}

int record_options__parse_event(const struct option_row *row, const char *arg, bool unset)
{
	struct record_options *o = row->value;
	struct errmsg err;

	if (unset)
		return record_options__refuse_unset(row);
	if (o->default_event) {
		pr_err("--filter stands before -e %s: put it behind the -e of its event\n", arg);
		return -1;
	}
	return evlist__parse(o->evlist, arg, &o->last_event, &err) ? refuse(&err) : 0;
}

int record_options__parse_filter(const struct option_row *row, const char *arg, bool unset)
{
	struct record_options *o = row->value;
	struct errmsg err;
	unsigned int i;

	if (unset)
		return record_options__refuse_unset(row);
	if (!o->evlist->nr) {
		if (evlist__add_default(o->evlist, &err))
			return refuse(&err);
		o->default_event = true;
	}
	for (i = o->last_event; i < o->evlist->nr; i++) {
		if (evsel__add_filter(o->evlist->evsel[i], "filter", arg, &err))
			return refuse(&err);
	}
	return 0;
}

int record_options__parse_fields(const struct option_row *row, const char *arg, bool unset)
{
	struct record_options *o = row->value;
	struct errmsg err;

	if (unset)
		return record_options__refuse_unset(row);
	if (!o->evlist->nr) {
		pr_err("--fields stands before -e: put it behind the -e of its tracepoint\n");
		return -1;
	}
	for (unsigned int i = o->last_event; i < o->evlist->nr; i++) {
		if (evsel__add_fields(o->evlist->evsel[i], arg, &err))
			return refuse(&err);
	}
	return 0;
}

void record_options__list_terms(void)
{
	struct text lines = {};

	filter__list_terms(&lines);
	fwrite(lines.buf, 1, lines.len, stdout);
	text__exit(&lines);
}

bool record_options__parse_uint(const char *arg, unsigned long max, unsigned long *value, const char **rest)
{
	char *end;

	errno = 0;
	*value = strtoul(arg, &end, 10);
	*rest = end;
	return *arg >= '0' && *arg <= '9' && !errno && *value <= max;
}

int record_options__parse_cgroups(const struct option_row *row, const char *arg, bool unset)
{
	struct record_options *o = row->value;

	if (unset)
		return record_options__refuse_unset(row);
	return target__add_cgroups(o->evlist, &o->nr_cgroups, arg);
}

/* As in upstream: a filter for each event, and all tasks are recorded unless some are named. */
int record_options__parse_user(const struct option_row *row, const char *arg, bool unset)
{
	struct record_options *o = row->value;

	if (unset)
		return record_options__refuse_unset(row);
	o->uid_set = true;
	return target__parse_user(arg, &o->uid);
}

int record_options__parse_freq(const struct option_row *row, const char *arg, bool unset)
{
	struct record_options *o = row->value;
	unsigned long value;
	const char *rest;

	if (unset)
		return record_options__refuse_unset(row);
	if (!strcmp(arg, "max")) {
		o->freq_max = true;
		value = record__max_freq();
		if (!value) {
			pr_err("-F max needs the kernel's limit, and " RATE_FILE " cannot be read\n");
			return -1;
		}
	} else if (!record_options__parse_uint(arg, UINT_MAX, &value, &rest) || *rest || !value) {
		pr_err("-F takes a number of samples a second, or max: not \"%s\"\n", arg);
		return -1;
	}
	o->opts.attr.freq = value;
	o->freq_set = true;
	return 0;
}

int record_options__parse_clock(const struct option_row *row, const char *arg, bool unset)
{
	static const char *const names[] = { [CLOCK_ON_TASKS] = "task", [CLOCK_ON_CPUS] = "cpu" };
	struct record_options *o = row->value;

	if (unset)
		return record_options__refuse_unset(row);
	for (unsigned int i = CLOCK_ON_TASKS; i < ARRAY_SIZE(names); i++) {
		if (strcmp(arg, names[i]))
			continue;
		o->opts.clock = i;
		return 0;
	}
	pr_err("--clock takes task or cpu: not \"%s\"\n", arg);
	return -1;
}

int record_options__parse_off_cpu_thresh(const struct option_row *row, const char *arg, bool unset)
{
	struct record_options *o = row->value;
	unsigned long ms;
	const char *rest;

	if (unset)
		return record_options__refuse_unset(row);
	if (!record_options__parse_uint(arg, UINT_MAX, &ms, &rest) || *rest) {
		pr_err("--off-cpu-thresh takes a number of milliseconds, 0 for a sample of each sleep: not \"%s\"\n", arg);
		return -1;
	}
	o->off_cpu_opts.long_ns = ms * 1000000ULL;
	o->off_cpu_thresh_set = true;
	o->off_cpu_tuned = true;
	return 0;
}

int record_options__parse_off_cpu_states(const struct option_row *row, const char *arg, bool unset)
{
	struct record_options *o = row->value;
	struct errmsg err;

	if (unset)
		return record_options__refuse_unset(row);
	if (offcpu_states__parse(arg, &o->off_cpu_opts.states, &err)) {
		pr_err("--off-cpu-states: %s\n", err.text);
		return -1;
	}
	o->off_cpu_tuned = true;
	return 0;
}

int record_options__parse_off_cpu_waker(const struct option_row *row, const char *arg, bool unset)
{
	struct record_options *o = row->value;

	o->off_cpu_opts.waker = !unset;
	o->off_cpu_tuned = !unset;
	return 0;
}

/* Parse pages, or a size with a suffix; rounds up to a power of two pages, which the kernel requires. */
int record_options__parse_mmap_pages(const struct option_row *row, const char *arg, bool unset)
{
	static const char suffixes[] = "BKMG";
	struct record_options *o = row->value;
	unsigned long value, pages, page = sysconf(_SC_PAGESIZE);
	const char *rest, *suffix;

	if (unset)
		return record_options__refuse_unset(row);
	if (!record_options__parse_uint(arg, 1UL << 31, &value, &rest) || !value)
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
	o->opts.mmap_pages = pages;
	return 0;
wrong:
	pr_err("-m takes a number of pages, or a size with K, M or G, below 2G: not \"%s\"\n", arg);
	return -1;
}

#define MIN_INTERVAL 10

int record_options__parse_interval(const struct option_row *row, const char *arg, bool unset)
{
	unsigned int *interval = row->value;
	unsigned long value;
	const char *rest;

	if (unset)
		return record_options__refuse_unset(row);
	if (!record_options__parse_uint(arg, 24 * 3600 * 1000, &value, &rest) || *rest || value < MIN_INTERVAL) {
		pr_err("-I takes a number of milliseconds from %d to a day of them: not \"%s\"\n", MIN_INTERVAL, arg);
		return -1;
	}
	*interval = value;
	return 0;
}

static int settle_rate(struct record_options *o)
{
	unsigned int max = record__max_freq();

	if (o->opts.attr.period && o->freq_set)
		options__refuse_exit("cannot set frequency and period at the same time\n");
	o->opts.attr.rate_set = o->opts.attr.period || o->freq_set;
	if (o->freq_max)
		pr_info("info: Using a maximum frequency rate of %u Hz\n", o->opts.attr.freq);
	if (!max || o->opts.attr.freq <= max || o->opts.attr.period)
		return 0;
	if (o->freq_strict) {
		pr_err("Maximum frequency rate (%u Hz) exceeded, and --strict-freq says not to lower %u Hz to it.\n" RATE_FILE
		       " holds the limit.\n", max, o->opts.attr.freq);
		return EXIT_SETUP;
	}
	if (o->freq_set)
		pr_warn("warning: Maximum frequency rate (%u Hz) exceeded, throttling from %u Hz to %u Hz.\n"
			"         " RATE_FILE " has the limit; the kernel lowers it when sampling takes too long.\n"
			"         --strict-freq refuses to record at a lower rate.\n",
			max, o->opts.attr.freq, max);
	else
		pr_warn("Lowering default frequency rate from %u to %u.\nSee " RATE_FILE ".\n", o->opts.attr.freq, max);
	o->opts.attr.freq = max;
	return 0;
}

static int settle_user(struct record_options *o)
{
	char filter[32];
	struct errmsg err;
	unsigned int i;

	snprintf(filter, sizeof(filter), "uid == %u", o->uid);
	for (i = 0; i < o->evlist->nr; i++) {
		if (evsel__add_filter(o->evlist->evsel[i], "-u", filter, &err)) {
			pr_err("%s\n", err.text);
			return EXIT_USAGE;
		}
	}
	return 0;
}

/* For tracepoints use the name of the kernel's own filter. perf is this process and the child that reads memory. */
static int settle_exclude_perf(struct record_options *o)
{
	const pid_t reader = memory_reader__start();
	struct errmsg err;

	for (unsigned int i = 0; i < o->evlist->nr; i++) {
		struct evsel *evsel = o->evlist->evsel[i];
		const char *term = evsel->tp && !tracepoint__probe(evsel->tp) ? "common_pid" : "pid";
		char filter[80];
		int len = snprintf(filter, sizeof(filter), "%s != %d", term, getpid());

		if (reader)
			snprintf(filter + len, sizeof(filter) - len, " && %s != %d", term, reader);
		if (evsel__add_filter(evsel, "--exclude-perf", filter, &err)) {
			pr_err("%s\n", err.text);
			return EXIT_USAGE;
		}
	}
	return 0;
}

/* :S: the leader's samples include those of its group, so its filter applies to all of them. */
static void settle_group_filters(struct record_options *o)
{
	for (unsigned int i = 0; i < o->evlist->nr; i++) {
		struct evsel *evsel = o->evlist->evsel[i];

		if (!evsel->filter || !evsel__is_sampled_by_leader(evsel) || evsel->has_period || evsel->has_freq)
			continue;
		if (!evsel->leader->filter)
			options__refuse_exit("--filter: %s takes no samples of its own, those of its group are %s's: filter "
					     "that\n", evsel->name, evsel->leader->name);
		evsel__drop_filters(evsel);
	}
}

/* perf events do not check the cgroup for us, but a filter can. */
static int settle_off_cpu_cgroup(struct evsel *evsel, struct errmsg *err)
{
	int ret = evsel__add_cgroups(evsel, evsel->cgroup, err);

	free(evsel->cgroup);
	evsel->cgroup = NULL;
	return ret;
}

/* A filter before any -e applies to everything that is recorded. */
static int add_off_cpu(struct record_options *o, struct errmsg *err)
{
	const struct evlist *evlist = o->evlist;
	bool filtered = false;
	int ret;

	for (unsigned int i = 0; i < evlist->nr; i++)
		filtered |= evlist->evsel[i]->filter != NULL;
	ret = evlist__add_kind(o->evlist, &off_cpu_kind, NULL, NULL, err);
	if (!ret && o->default_event)
		return evsel__copy_filters(evlist->evsel[evlist->nr - 1], evlist->evsel[0], err);
	if (!ret && filtered)
		pr_info("the filter is for the -e before it only, so offcpu-time is not filtered: give it a filter with -e off-cpu --filter\n");
	return ret;
}

static int settle_off_cpu(struct record_options *o)
{
	unsigned int i, nr = 0;
	struct errmsg err;
	int ret = 0;

	for (i = 0; i < o->evlist->nr && !ret; i++) {
		nr += evsel__has_spans(o->evlist->evsel[i]);
		if (evsel__has_spans(o->evlist->evsel[i]) && o->evlist->evsel[i]->cgroup)
			ret = settle_off_cpu_cgroup(o->evlist->evsel[i], &err);
	}
	if ((nr || o->off_cpu) && o->opts.attr.use_clockid && o->opts.attr.clockid != CLOCK_MONOTONIC)
		options__refuse_exit("-k: off-CPU time is measured by monotonic only\n");
	if (nr && o->one_group)
		options__refuse_exit("--group does not go with -e off-cpu: say --off-cpu\n");
	if (o->off_cpu && o->nr_cgroups && !nr)
		options__refuse_exit("-G does not reach --off-cpu: say -e off-cpu before the -G\n");
	if (o->off_cpu_tuned && !o->off_cpu && !nr)
		options__refuse_exit("--off-cpu-thresh, -states and -waker need --off-cpu or -e off-cpu\n");
	if (!ret && o->off_cpu && !nr)
		ret = add_off_cpu(o, &err);
	if (ret)
		pr_err("%s\n", err.text);
	return ret ? EXIT_SETUP : 0;
}

/* A filter without -e is its own: then it takes the place of the default event. */
static int add_wall(struct record_options *o, struct errmsg *err)
{
	int ret = evlist__add_kind(o->evlist, &wall_kind, NULL, NULL, err);

	if (!ret && o->default_event) {
		ret = evsel__copy_filters(o->evlist->evsel[1], o->evlist->evsel[0], err);
		evlist__remove(o->evlist, 0);
	}
	return ret;
}

/* --wall alone is the event of the recording; it has all that off-CPU time has. */
static int settle_wall(struct record_options *o, struct errmsg *err)
{
	unsigned int nr = 0, nr_off_cpu = o->off_cpu, nr_states = o->off_cpu_opts.states != (OFFCPU_SLEEPING | OFFCPU_DISK);
	int ret = 0;

	for (unsigned int i = 0; i < o->evlist->nr; i++) {
		nr += o->evlist->evsel[i]->kind == &wall_kind;
		nr_off_cpu += o->evlist->evsel[i]->kind == &off_cpu_kind;
	}
	if (o->wall && !nr) {
		ret = add_wall(o, err);
		nr++;
	}
	if (!nr || ret)
		return ret;
	if (nr > 1)
		options__refuse_exit("a recording has one event wall-clock: leave the others out\n");
	if (nr_off_cpu)
		options__refuse_exit("--wall includes off-CPU time: leave out --off-cpu\n");
	if (nr_states)
		options__refuse_exit("--wall records all states: leave out --off-cpu-states, and take perf report -s state\n");
	if (o->opts.run.cpus)
		options__refuse_exit("--wall is the time of threads, which move between CPUs: leave out -C\n");
	if (o->opts.attr.period && o->evlist->nr == 1)
		options__refuse_exit("--wall takes samples by time: take -F in place of -c\n");
	if (!o->off_cpu_thresh_set)
		o->off_cpu_opts.long_ns = WALL_LONG_NS;
	if (o->freq_set)
		o->off_cpu_opts.clock_hz = o->opts.attr.freq;
	return 0;
}

static int settle_events(struct record_options *o)
{
	struct errmsg err;
	int ret = settle_wall(o, &err);

	if (ret) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	if (!o->evlist->nr && evlist__add_default(o->evlist, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	if (evlist__check_fields(o->evlist, &err))
		options__refuse_exit("%s\n", err.text);
	if (o->one_group)
		evlist__group(o->evlist, 0);
	if (o->nr_cgroups && !o->opts.run.system_wide)
		options__refuse_exit("-G needs all tasks: -a or -C, without -p and -t\n");
	ret = settle_off_cpu(o);
	if (ret)
		return ret;
	ret = o->exclude_perf ? settle_exclude_perf(o) : 0;
	if (!ret && o->uid_set)
		ret = settle_user(o);
	settle_group_filters(o);
	evlist__set_kind_opts(o->evlist, &off_cpu_kind, &o->off_cpu_opts);
	evlist__set_kind_opts(o->evlist, &wall_kind, &o->off_cpu_opts);
	return ret;
}

static void settle_build_ids(struct record_options *o)
{
	if (o->opts.keep_all_files && (o->opts.no_build_ids || o->opts.no_build_id_cache))
		options__refuse_exit("--buildid-all copies files to the build-id cache, and %s (or record.build-id in perfconfig) "
				     "copies none: leave out one of them\n", o->opts.no_build_ids ? "-B" : "-N");
	o->opts.build_id_cache = build_id_dir(o->opts.build_id_cache);
	o->opts.unwind_cache = o->opts.no_build_id_cache ? NULL : o->opts.build_id_cache;
}

#define MAX_UNWIND_MB ((int)((u64)UNWIND_MAX_SEGMENTS * UNWIND_SEGMENT_CHUNKS * UNWIND_CHUNK_WORDS * sizeof(u32) >> 20))

static void refuse_unwind_memory(const struct record_options *o)
{
	const enum callgraph_mode mode = o->opts.attr.callgraph.mode;

	if (o->opts.unwind_mb && mode != CALLGRAPH_BPF && mode != CALLGRAPH_AUTO && !o->off_cpu)
		options__refuse_exit("--unwind-memory needs -g or --call-graph bpf\n");
	if (o->opts.interp_asked && o->opts.interp != INTERP_OFF && mode != CALLGRAPH_BPF && mode != CALLGRAPH_AUTO && !o->off_cpu)
		options__refuse_exit("--interp needs -g or --call-graph bpf\n");
	if (o->opts.unwind_mb > MAX_UNWIND_MB)
		options__refuse_exit("--unwind-memory takes at most %d MiB\n", MAX_UNWIND_MB);
}

int record_options__settle(struct record_options *o, char **argv)
{
	int ret;

	target__settle(&o->opts.run, argv, o->uid_set);
	ret = settle_rate(o);
	if (ret)
		return ret;
	if (o->opts.attr.all_user && o->opts.attr.all_kernel)
		options__refuse_exit(" Error: option `all-kernel' cannot be used with all-user\n");
	refuse_unwind_memory(o);
	if (o->opts.attr.cgroups)
		o->opts.attr.sample_type |= PERF_SAMPLE_CGROUP;
	settle_build_ids(o);
	return settle_events(o);
}

static void tell_note(void *data, const char *text)
{
	record_progress__clear();
	pr_warn("%s\n", text);
}

int record_options__parse(struct record_options *o, int argc, char **argv, const struct option_row *rows,
			  const char *const *usages)
{
	o->cmdline = calloc(argc + 1, sizeof(*o->cmdline));
	o->evlist = evlist__new();
	if (!o->cmdline || !o->evlist) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	o->evlist->find_probe = probe_finder__find;
	memcpy(o->cmdline, argv, argc * sizeof(*o->cmdline));
	o->opts.version = perf_version;
	o->opts.run.note = tell_note;
	o->opts.cmdline_argc = argc;
	o->opts.cmdline_argv = o->cmdline;
	options__parse(argc, argv, rows, usages, true);
	log__set_verbosity(o->verbose);
	o->opts.explain = o->verbose;
	log__set_quiet(o->quiet);
	return 0;
}

void record_options__exit(struct record_options *o)
{
	evlist__delete(o->evlist);
	free(o->cmdline);
}

/* The attributes with which the events were finally opened */
static void tell_events(const struct evlist *evlist)
{
	unsigned int i;

	for (i = 0; i < evlist->nr && log__enabled(LOG_DEBUG); i++) {
		fprintf(stderr, "%s: ", evlist->evsel[i]->name);
		attr__fprintf(stderr, &evlist->evsel[i]->attr, evlist->evsel[i]->name);
		fputc('\n', stderr);
	}
}

static const char *program_of(const struct evsel *evsel, const struct sampler_counts *c)
{
	if (evsel->filter)
		return "filter";
	return c->unwound ? "program that unwinds" : c->filtered ? "program that counts" : "program that knows the target";
}

/* A clock on each CPU needs a program in any case. */
static void add_instead(struct text *text, const struct evsel *evsel, const struct sampler_counts *c)
{
	const char *between = "without ";

	if (c->on_cpus || c->unwound)
		text__printf(text, "with%s%s", c->on_cpus ? " --clock task" : "", c->unwound ? " --call-graph fp" : "");
	else if (!evsel->nr_filters)
		text__str(text, c->filtered ? "with perf record, which counts in no program," : "with --clock task");
	if (text->len && evsel->nr_filters)
		text__str(text, " and ");
	for (unsigned int i = 0; i < evsel->nr_filters; i++, between = ", ") /* "filter" stands for --filter */
		text__printf(text, "%s%s%s", between, *evsel->filters[i].option == '-' ? "" : "--", evsel->filters[i].option);
	text__char(text, '\0');
}

/* Which options miss no short task; those need rights. */
static const char *all_tasks(void)
{
	return *bpf_filter__missing_capabilities() ? "with --clock cpu, which takes CAP_BPF and CAP_PERFMON, or -a" : "with --clock cpu, or -a";
}

static const char *why_missed(const struct evsel *evsel, const struct sampler_counts *c)
{
	if (c->on_cpus)
		return "the kernel takes none while the CPU is in bpf(2) or in another BPF program. Record with -c 1, or --clock task";
	if (evsel->attr.freq)
		return "tasks that ended before their period was over were missed. Record with a period (-c), or -a";
	return "tasks that ended before their first period was over were missed. Record with -c 1, or -a";
}

static void tell_missed(const struct evsel *evsel, const struct sampler_counts *c)
{
	const char *name = evsel->name;

	if (!attr__is_clock(&evsel->attr)) {
		pr_warn("%s: %" PRIu64 " counted, but samples for %" PRIu64 ": %s\n", name, c->sampled + c->missed, c->sampled, why_missed(evsel, c));
		return;
	}
	pr_warn("%s: %.0f ms of CPU time, but samples for %.0f ms: %s%s\n", name, c->counted / 1e6, c->sampled / 1e6,
		c->on_cpus ? "the kernel takes none while the CPU is in bpf(2) or in another BPF program, and gives those that are due with "
			     "interrupts off to the task that runs next. Record with --clock task to have them" :
			     "tasks that ran for less than a period were missed. Record ",
		c->on_cpus ? "" : all_tasks());
}

/* Reports samples that the kernel never tried to write to a ring. */
static void tell_missing(const struct evlist *evlist, const struct record_result *result)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct sampler_counts *c = &result->counts[i];
		const char *name = evlist->evsel[i]->name;
		struct text instead = {};

		add_instead(&instead, evlist->evsel[i], c);
		if (c->untaken)
			pr_warn("%s: at least %" PRIu64 " sample%s (%.0f %%) %s not taken: the kernel runs no %s while the CPU is in bpf(2) "
							"or in another BPF program. Record %s to have them\n", name, c->untaken,
				plural(c->untaken), 100.0 * c->untaken / (c->untaken + c->seen), were(c->untaken),
				program_of(evlist->evsel[i], c), instead.failed ? "otherwise" : instead.buf);
		if (c->late)
			pr_debug("%s: the timer was late by %" PRIu64 " period%s: something else had the CPU, such as another guest of the host, or "
				 "interrupts were off. They have no samples\n", name, c->late, plural(c->late));
		if (c->missed)
			tell_missed(evlist->evsel[i], c);
		if (c->excess)
			pr_warn("%s: %" PRIu64 " counted, but samples for %" PRIu64 ": with a frequency the kernel guesses how much each sample of a "
				"task stands for. Record with a period (-c)\n", name, c->sampled - c->excess, c->sampled);
		if (c->unmended)
			pr_warn("%s: %" PRIu64 " sample%s %s not written: another perf records the same event of these tasks with other ids, "
					       "clock or registers, and the kernel makes one sample for both. Record again when it has ended\n", name,
				c->unmended, plural(c->unmended), were(c->unmended));
		text__exit(&instead);
	}
}

static void tell_nothing_kept(const struct evlist *evlist, const struct record_result *result)
{
	for (unsigned int i = 0; i < evlist->nr; i++) {
		const struct tally_counts *counted = result->counted ? &result->counted[i] : NULL;
		const struct sampler_counts *c = &result->counts[i];
		u64 seen = counted ? counted->seen : c->seen, dropped = counted ? counted->dropped : c->dropped;

		if (evlist->evsel[i]->filter && seen && seen == dropped)
			filter_hints__tell_nothing_kept(evlist->evsel[i]);
	}
}

static int run(struct record_options *o, struct record *rec, record_tell tell)
{
	struct record_result result;
	struct errmsg err;
	int ret;

	ret = record__run(rec, &result, &err);
	record_progress__clear();
	tell_events(o->evlist);
	if (ret) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	tell(o, &result);
	tell_nothing_kept(o->evlist, &result);
	tell_missing(o->evlist, &result);
	if (o->opts.explain && record__dump_clauses(rec, stderr, &err))
		pr_warn("%s\n", err.text);
	return result.exit_code;
}

static int check(const struct record_options *o, const struct record *rec)
{
	struct errmsg err;

	if (o->verbose)
		record__dump_filters(rec, stdout);
	if (!record__ask_kernel(rec, &err))
		return 0;
	pr_err("%s\n", err.text);
	return EXIT_SETUP;
}

int record_options__run(struct record_options *o, record_tell tell)
{
	struct record *rec;
	struct errmsg err;
	int ret;

	if (o->dry_run)
		o->opts.run.note = NULL; /* nothing is recorded with another event */
	failed_writes__return_errors(); /* who reads what is said of events may be gone */
	ret = record__new(&o->opts, o->evlist, &rec, &err);
	if (ret) {
		pr_err("%s\n", err.text);
		return ret == -EINVAL ? EXIT_USAGE : EXIT_SETUP;
	}
	filter_hints__warn(o->evlist);
	if (!o->dry_run)
		ret = run(o, rec, tell);
	else
		ret = check(o, rec);
	record__delete(rec);
	return stream__flush(stdout) ? EXIT_SETUP : ret; /* perf tells why at its end */
}
