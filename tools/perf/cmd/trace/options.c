// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "trace"

#include "cmd/trace/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/common/config-defaults.h"
#include "cmd/common/lost-output.h"
#include "ui/trace/places.h"
#include "util/lib/advice.h"
#include "util/lib/clock.h"
#include "util/lib/config.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"
#include "util/lib/text.h"

#define RESULT_COLUMN 70 /* of the '=', counted from the call's name */
#define MAX_COLUMN 1000
#define STACK_DUMP 8192 /* bytes, as perf record takes */
#define DUMP_PAGES 1024 /* of the rings that get them */
#define LATE_NS 100000000 /* after which no line comes that belongs before */
#define WRITE_SIZE 65536  /* bytes of lines that are written at once */

/* --call-graph */

static const struct {
	const char *word;
	enum callgraph_mode mode;
} callgraphs[] = { { "bpf", CALLGRAPH_BPF }, { "dwarf", CALLGRAPH_DWARF }, { "fp", CALLGRAPH_FP }, { "no", CALLGRAPH_NONE } };

int trace_options__parse_callgraph(const struct option_row *row, const char *arg, bool unset)
{
	struct trace_options *o = row->value;

	o->callgraph = CALLGRAPH_NONE;
	if (unset)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(callgraphs); i++) {
		if (strcmp(arg, callgraphs[i].word))
			continue;
		o->callgraph = callgraphs[i].mode;
		return 0;
	}
	pr_err("--call-graph takes bpf, dwarf, fp or no: not \"%s\"\n", arg);
	return -1;
}

void trace_options__list_callgraphs(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(callgraphs); i++)
		puts(callgraphs[i].word);
}

/* Checking and combining the options */

static void settle_stacks(struct trace_options *o)
{
	if (o->max_stack > TRACE_MAX_STACK || o->min_stack > TRACE_MAX_STACK)
		options__refuse_exit("--max-stack and --min-stack take a number of callers from 1 to %d\n", TRACE_MAX_STACK);
	if (o->callgraph != CALLGRAPH_NONE && o->reading.input)
		options__refuse_exit("-i shows the stacks that the recording has, and --call-graph takes some: leave it out\n");
	if ((o->max_stack || o->min_stack) && o->callgraph == CALLGRAPH_NONE && !o->reading.input)
		o->callgraph = CALLGRAPH_BPF;
	if (o->callgraph != CALLGRAPH_NONE && o->sums_only && !o->with_sums)
		options__refuse_exit("--call-graph, --max-stack and --min-stack are for lines, of which -s prints none: take -S\n");
	o->trace.stacks = o->callgraph != CALLGRAPH_NONE && o->has_calls;
	o->in_turn = !o->reading.input && (o->has_others || o->trace.stacks);
}

/*
 * System calls are seen by BPF programs, which unwind by tables; page faults by the kernel, which copies the stack for perf to unwind. Both
 * find the same callers.
 */
static void add_callgraph(struct trace_options *o)
{
	struct attr_opts *attr = &o->recording.opts.attr;
	struct evlist *evlist = o->recording.evlist;

	if (o->callgraph == CALLGRAPH_DWARF || (o->callgraph == CALLGRAPH_BPF && (o->major_faults || o->minor_faults)))
		o->recording.opts.mmap_pages = o->recording.opts.mmap_pages ?: DUMP_PAGES;
	attr->callgraph = (struct callgraph){ .mode = o->callgraph, .stack_dump = o->callgraph == CALLGRAPH_DWARF ? STACK_DUMP : 0 };
	for (unsigned int i = 0; i < evlist->nr && o->callgraph != CALLGRAPH_FP && o->callgraph != CALLGRAPH_NONE; i++) {
		struct evsel *evsel = evlist->evsel[i];

		if (evsel->terms.has_callgraph)
			continue;
		evsel->terms.has_callgraph = evsel->kind == &trace_kind || evsel->attr.sample_type & PERF_SAMPLE_ADDR;
		evsel->terms.callgraph = evsel->kind == &trace_kind ? (struct callgraph){ .mode = CALLGRAPH_BPF } :
							(struct callgraph){ .mode = CALLGRAPH_DWARF, .stack_dump = STACK_DUMP };
	}
}

static int check_events(const char *events, struct errmsg *err)
{
	struct evlist *evlist = evlist__new();
	const int ret = evlist ? evlist__parse(evlist, events, NULL, err) : errmsg__set(err, ENOMEM, "out of memory");

	evlist__delete(evlist);
	return ret;
}

/* perfconfig adds events to those of the command line, and does not choose between calls and events. A file has what it has. */
static int add_configured(struct trace_options *o)
{
	const char *added = config_defaults__get((const char *const[]){ "trace.add_events", NULL });
	struct errmsg err;

	if (!added || !*added || o->reading.input)
		return 0;
	if (check_events(added, &err)) {
		pr_err("perfconfig: trace.add_events: %s\n", err.text);
		return EXIT_USAGE;
	}
	o->has_others = true;
	return trace_options__add_other(o, added, strlen(added)) ? EXIT_SETUP : 0;
}

/* As in other perfs, system calls are traced unless only other things are named. All events of a file are shown. */
static void settle_events(struct trace_options *o)
{
	const bool faults = o->major_faults || o->minor_faults, named = o->some_wanted || o->some_unwanted;
	const bool others = o->other_events || faults;

	if (o->calls_off && named)
		options__refuse_exit("--no-syscalls leaves out the system calls that -e names: leave out one of them\n");
	if (o->calls_off && !others && !o->reading.input)
		options__refuse_exit("--no-syscalls leaves nothing to trace: name events with -e, or take -F\n");
	o->has_calls = !o->calls_off && (o->calls_on || named || !others);
	o->has_others = others || (o->reading.input && !named);
	if (o->has_calls && !named)
		trace_options__choose_calls(o, "*", true);
}

static void settle_duration(struct trace_options *o)
{
	double ms;
	char *end;

	if (o->recording.opts.run.start_disabled)
		options__refuse_exit("-D -1 would wait for --control, which perf trace does not have: take milliseconds\n");
	if (!o->duration)
		return;
	ms = strtod(o->duration, &end);
	if (end == o->duration || *end || !(ms >= 0 && ms < 1e9))
		options__refuse_exit("--duration takes a number of milliseconds: not \"%s\"\n", o->duration);
	o->trace.min_ns = ms * 1e6;
}

static void settle_sums(struct trace_options *o)
{
	static const char *const modes[] = { [TRACE_BY_THREAD] = "thread", [TRACE_BY_CPU] = "total", [TRACE_BY_CGROUP] = "cgroup" };
	const bool sums = o->sums_only || o->with_sums;
	unsigned int i = 0;

	for (i = 0; o->mode && strcmp(o->mode, modes[i]);) {
		if (++i == ARRAY_SIZE(modes))
			options__refuse_exit("--summary-mode takes thread, total or cgroup: not \"%s\"\n", o->mode);
	}
	if (!sums && (o->mode || o->with_errors || o->max_summary))
		options__refuse_exit("--summary-mode, --max-summary and --errno-summary need -s or -S\n");
	if (o->sums_only && !o->with_sums && o->max_events)
		options__refuse_exit("--max-events counts lines, of which -s prints none: take -S\n");
	o->trace.written = !o->sums_only || o->with_sums;
	o->trace.summed = sums;
	o->trace.by = i;
	o->trace.with_errors = o->with_errors;
}

static void write_lines(struct trace_options *o)
{
	struct text *lines = &o->written;
	int error;

	if (lines->len)
		fwrite(lines->buf, 1, lines->len, o->fp);
	error = -stream__flush(o->fp);
	if (!o->write_error)
		o->write_error = error ?: lines->failed ? ENOMEM : 0;
	lines->len = 0;
	lines->failed = false;
}

void trace_options__write_some(struct trace_options *o)
{
	const bool flows = o->reading.input && !strcmp(o->reading.input, "-");

	if (o->written.len >= WRITE_SIZE || o->written.failed || (flows && o->written.len))
		write_lines(o);
}

static void take_call(void *data, const struct trace_call *call)
{
	struct trace_options *o = data;

	if (o->in_turn) {
		if (trace_others__add_call(&o->others, call))
			o->failed = true;
		return;
	}
	if (o->max_events && o->nr_events >= o->max_events)
		return;
	if (o->chain && o->chain->nr < o->min_stack)
		return;
	o->nr_events++;
	trace_lines__add(&o->lines, &o->written, call);
	if (o->chain)
		trace_places__add_callers(&o->written, o->chain);
	trace_options__write_some(o);
}

static int take_sum(void *data, const struct trace_sum_key *key, const struct trace_sum *sum, struct errmsg *err)
{
	const struct trace_options *o = data;

	return trace_sums__add(o->sums, key, sum) ? errmsg__set(err, ENOMEM, "out of memory for sums of system calls") : 0;
}

static int take_error(void *data, const struct trace_error_key *key, u64 nr, struct errmsg *err)
{
	const struct trace_options *o = data;

	return trace_sums__add_error(o->sums, key, nr) ? errmsg__set(err, ENOMEM, "out of memory for sums of system calls") : 0;
}

static int end_round(void *data, struct errmsg *err)
{
	return 0;
}

static int take_row(void *data, unsigned int event, struct tally_row *row, struct errmsg *err)
{
	return 0; /* there are none */
}

static void flush_others(struct trace_options *o, u64 before)
{
	if (o->in_turn)
		o->nr_events += trace_others__flush(&o->others, before, o->max_events ? o->max_events - o->nr_events : UINT64_MAX, &o->written);
}

/* Enough lines, or nobody who reads them. */
static bool is_full(void *data)
{
	struct trace_options *o = data;

	/* All that happened before the last pass has been fetched in this one. */
	if (o->last_pass)
		flush_others(o, o->last_pass - LATE_NS);
	o->last_pass = clock__ns(CLOCK_MONOTONIC);
	write_lines(o);
	return (o->max_events && o->nr_events >= o->max_events) || o->write_error;
}

/* Filters that options stand for. */
static int add_filters(struct trace_options *o, struct evsel *evsel, struct errmsg *err)
{
	struct text text = {};
	int ret = 0;

	if (o->filter_text)
		ret = evsel__add_filter(evsel, "filter", o->filter_text, err);
	if (!ret && o->filter_pids) {
		text__printf(&text, "!(pid in {%s}) && !(tid in {%s})%c", o->filter_pids, o->filter_pids, '\0');
		ret = text.failed ? -ENOMEM : evsel__add_filter(evsel, "--filter-pids", text.buf, err);
	}
	text__exit(&text);
	if (!ret && o->cgroups)
		ret = evsel__add_cgroups(evsel, o->cgroups, err);
	return ret;
}

/* The events beside system calls. Filters are not for them. */
static int add_others(struct trace_options *o)
{
	struct errmsg err;

	o->recording.opts.count = NULL;
	o->recording.opts.attr.use_clockid = true;
	o->recording.opts.attr.clockid = CLOCK_MONOTONIC;
	if (trace_options__add_events(o, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	if ((o->major_faults || o->minor_faults) && o->trace.by == TRACE_BY_CGROUP)
		options__refuse_exit("--summary-mode cgroup: page faults do not tell their cgroup: leave one of them out\n");
	add_callgraph(o);
	if (trace_others__begin(&o->others, o->recording.evlist, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	o->recording.opts.sink = &o->others.sink;
	o->recording.opts.live = o->others.functions;
	return 0;
}

static int add_event(struct trace_options *o)
{
	struct errmsg err;
	int ret;

	ret = syscall_formats__new(o->wanted, &o->formats, &err);
	if (!o->has_calls)
		return ret ? EXIT_SETUP : 0;
	if (!ret)
		ret = evlist__add_kind(o->recording.evlist, &trace_kind, NULL, &o->trace, &err) ?:
		      syscall_formats__fields(o->formats, o->filter_text, &o->recording.evlist->evsel[0]->tp, &err);
	if (!ret)
		ret = add_filters(o, o->recording.evlist->evsel[0], &err);
	if (ret)
		pr_err("%s\n", err.text);
	return ret ? EXIT_SETUP : 0;
}

static int open_output(struct trace_options *o)
{
	o->fp = o->path ? fopen(o->path, "we") : stderr;
	if (!o->fp)
		pr_err("cannot open %s: %s\n", o->path, strerror(errno));
	return o->fp ? 0 : EXIT_SETUP;
}

static int prepare_output(struct trace_options *o)
{
	o->lines = (struct trace_lines){ .formats = o->formats, .style = o->style, .full_time = o->full_time, .calls = o->has_calls };
	o->sums = trace_sums__new(o->trace.by, o->max_summary);
	if (!o->sums) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	o->others.lines = &o->lines;
	o->others.sums = o->trace.summed ? o->sums : NULL;
	o->others.written = o->trace.written;
	o->others.has_calls = o->trace.stacks;
	o->others.max_stack = o->max_stack;
	o->others.min_stack = o->min_stack;
	o->others.detail = o->callgraph != CALLGRAPH_NONE ? SESSION_CHAINS : o->major_faults || o->minor_faults ? SESSION_PLACES : SESSION_ADDRESSES;
	o->trace.rule = o->formats->rule;
	o->trace.nr_fields = o->formats->nr_fields;
	o->trace.call = take_call;
	o->trace.sum = take_sum;
	o->trace.error = take_error;
	o->trace.data = o;
	o->sink = (struct record_rows){ .row = take_row, .round = end_round, .is_full = is_full, .data = o };
	return 0;
}

static int read_column(const char *text, unsigned int *column)
{
	unsigned long value;
	char *end;

	value = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || value > MAX_COLUMN)
		return -EINVAL;
	*column = value;
	return 0;
}

/* As in other perfs, perfconfig says how lines look. */
static int read_style(struct trace_options *o)
{
	struct trace_style *style = &o->style;
	const struct {
		const char *key;
		bool *value, inverted;
	} keys[] = {
		{ "trace.show_arg_names", &style->no_names, true }, { "trace.show_prefix", &style->prefixes, false }, { "trace.show_zeros", &style->zeros, false },
		{ "trace.show_duration", &style->no_duration, true }, { "trace.show_timestamp", &style->no_time, true },
	};
	const char *column = config_defaults__get((const char *const[]){ "trace.args_alignment", NULL });

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = config_defaults__get((const char *const[]){ keys[i].key, NULL });
		bool on;

		if (value && config__bool(value, &on)) {
			pr_err("perfconfig: %s is true or false: not \"%s\"\n", keys[i].key, value);
			return EXIT_USAGE;
		}
		if (value)
			*keys[i].value = on != keys[i].inverted;
	}
	style->no_comm = !o->show_comm;
	style->column = RESULT_COLUMN;
	if (!column || !read_column(column, &style->column))
		return 0;
	pr_err("perfconfig: trace.args_alignment is a number up to %d: not \"%s\"\n", MAX_COLUMN, column);
	return EXIT_USAGE;
}

static void refuse_options(const struct trace_options *o)
{
	const bool faults = o->major_faults || o->minor_faults;
	const bool judges = o->filter_text || o->filter_pids || o->cgroups || o->duration || o->failed_only;

	if (!o->sorted)
		options__refuse_exit("--no-sort-events: this perf trace always prints calls in the order in which they end: leave it out\n");
	if (!o->members)
		options__refuse_exit("--no-force-btf: this perf trace always shows the members of structs: leave it out\n");
	if (!o->has_calls && (judges || o->with_errors || o->max_bytes))
		options__refuse_exit("--filter, --filter-pids, -G, --duration, --failure, --errno-summary and --string-size are for system calls, of which "
				     "none are traced: name some with -e, or take --syscalls\n");
	if (!o->has_calls && (o->sums_only || o->with_sums) && !faults && !o->reading.input)
		options__refuse_exit("-s and -S sum up system calls and page faults: name some calls with -e, or take --syscalls or -F\n");
}

static void settle_string_size(struct trace_options *o)
{
	if (o->max_bytes > TRACE_MAX_COPY)
		options__refuse_exit("--string-size takes a number of bytes from 1 to %d\n", TRACE_MAX_COPY);
}

int trace_options__settle(struct trace_options *o, char **argv)
{
	struct run_opts *run = &o->recording.opts.run;
	int ret = read_style(o);

	if (ret)
		return ret;
	settle_events(o);
	ret = add_configured(o);
	if (ret)
		return ret;
	refuse_options(o);
	settle_string_size(o);
	if (!*argv && !run->pids && !run->tids && !run->cpus && !o->reading.input)
		run->system_wide = true;
	run->silent_switches = !o->recording.verbose; /* notes among the lines would look like calls' */
	settle_duration(o);
	settle_sums(o);
	settle_stacks(o);
	o->trace.failed_only = o->failed_only;
	o->trace.max_text = TRACE_MAX_COPY;
	o->trace.max_bytes = o->max_bytes ?: TRACE_BYTES;
	o->trace.max_sums = TRACE_MAX_SUMS;
	o->counting.key = TALLY_KEY_TID;
	o->recording.opts.count = &o->counting;
	o->recording.opts.rows = &o->sink;
	ret = add_event(o);
	if (!ret && o->in_turn)
		ret = add_others(o);
	if (!ret && !o->reading.input)
		ret = record_options__settle(&o->recording, argv);
	return ret ?: open_output(o) ?: prepare_output(o);
}

/* After the run */

static void tell_losses(const struct trace_totals *t)
{
	if (t->lost)
		pr_warn("%" PRIu64 " system call%s %s missing: the ring buffer was full. Take a larger one (-m), or fewer calls (-e, --filter)\n", t->lost,
			plural(t->lost), t->lost == 1 ? "is" : "are");
	if (t->lost_sums)
		pr_warn("%" PRIu64 " system call%s %s missing in the sums: the map was full. Take fewer tasks or calls, or --summary-mode total\n",
			t->lost_sums, plural(t->lost_sums), t->lost_sums == 1 ? "is" : "are");
	if (t->untracked)
		pr_warn("%" PRIu64 " system call%s %s missing: the kernel had no memory to follow more\n", t->untracked,
			plural(t->untracked), t->untracked == 1 ? "is" : "are");
	if (t->unjudged)
		pr_warn("%" PRIu64 " system call%s that began before tracing %s left out: the filter can test pid, tid, ppid, uid, gid, comm, prio, "
			"nice and arguments only\n", t->unjudged, plural(t->unjudged), t->unjudged == 1 ? "is" : "are");
	if (t->missed)
		pr_warn("%" PRIu64 " hit%s (of any task) %s missed: a BPF program was already running on that CPU\n", t->missed,
			plural(t->missed), were(t->missed));
}

static void add_sums(struct trace_options *o)
{
	char *tables = NULL;
	size_t size = 0;
	FILE *fp = open_memstream(&tables, &size);

	if (fp)
		trace_sums__print(o->sums, o->formats, fp);
	if (fp && !text__close_stream(fp, &tables))
		text__put(&o->written, tables, size);
	else
		o->written.failed = true;
	free(tables);
}

int trace_options__print_end(struct trace_options *o)
{
	flush_others(o, UINT64_MAX);
	if (o->trace.summed)
		add_sums(o);
	write_lines(o);
	if (!o->write_error)
		return 0;
	lost_output__tell(o->path ?: "the lines", o->write_error);
	return -1;
}

void trace_options__finish(struct record_options *recording, const struct record_result *result)
{
	struct trace_options *o = (struct trace_options *)recording;

	o->failed |= trace_options__print_end(o) != 0;
	for (unsigned int i = 0; i < o->recording.evlist->nr; i++) {
		if (o->recording.evlist->evsel[i]->kind == &trace_kind && result->counts[i].totals)
			tell_losses(result->counts[i].totals);
		else if (result->counts[i].lost)
			pr_warn("%" PRIu64 " hit%s of %s %s missing: the ring buffer was full. Take a larger one (-m)\n", result->counts[i].lost,
				plural(result->counts[i].lost), o->recording.evlist->evsel[i]->name, result->counts[i].lost == 1 ? "is" : "are");
	}
}

void trace_options__exit(struct trace_options *o)
{
	trace_others__exit(&o->others);
	free(o->other_events);
	text__exit(&o->written);
	trace_sums__delete(o->sums);
	syscall_formats__delete(o->formats);
	if (o->fp && o->fp != stderr)
		fclose(o->fp); /* all is written */
}
