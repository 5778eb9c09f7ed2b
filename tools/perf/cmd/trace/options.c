// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "trace"

#include "cmd/trace/options.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/log.h"
#include "util/source/syscall-number.h"

/* -e */

/* Returns how many calls match. */
static unsigned int choose_calls(struct trace_options *o, const char *glob, bool wanted)
{
	unsigned int nr = 0;

	for (int i = 0; i < TRACE_MAX_CALLS; i++) {
		const char *name = syscall_name(i);

		if (!name || (fnmatch(glob, name, 0) && fnmatch(glob, syscall_function(i), 0)))
			continue;
		o->wanted[i] = wanted;
		nr++;
	}
	return nr;
}

static int choose_word(struct trace_options *o, const char *word, size_t len, bool wanted)
{
	char glob[64];

	if (len && len < sizeof(glob)) {
		snprintf(glob, sizeof(glob), "%.*s", (int)len, word);
		if (choose_calls(o, glob, wanted))
			return 0;
	}
	if (memchr(word, ':', len))
		pr_err("-e takes system calls: %.*s is another event, which this perf trace does not show. Take perf record\n", (int)len, word);
	else
		pr_err("-e: there is no system call \"%.*s\". perf trace --list-values -e shows all\n", (int)len, word);
	return -1;
}

int trace_options__parse_calls(const struct option_row *row, const char *arg, bool unset)
{
	struct trace_options *o = row->value;
	const bool wanted = !unset && *arg != '!';
	const char *word;

	if (unset)
		return record_options__refuse_unset(row);
	if ((wanted && o->some_unwanted) || (!wanted && o->some_wanted)) {
		pr_err("-e lists the calls to trace, or with ! those to leave out, not both\n");
		return -1;
	}
	if (!wanted && !o->some_unwanted)
		choose_calls(o, "*", true);
	o->some_wanted |= wanted;
	o->some_unwanted |= !wanted;
	for (word = arg + !wanted;; word += strcspn(word, ",") + 1) {
		if (choose_word(o, word, strcspn(word, ","), wanted))
			return -1;
		if (!word[strcspn(word, ",")])
			return 0;
	}
}

void trace_options__list_calls(void)
{
	for (int i = 0; i < TRACE_MAX_CALLS; i++) {
		if (syscall_name(i))
			puts(syscall_name(i));
	}
}

/* Checking and combining the options */

static void settle_duration(struct trace_options *o)
{
	double ms;
	char *end;

	if (!o->duration)
		return;
	ms = strtod(o->duration, &end);
	if (end == o->duration || *end || !(ms >= 0 && ms < 1e9))
		options__refuse_exit("--duration takes a number of milliseconds: not \"%s\"\n", o->duration);
	o->trace.min_ns = ms * 1e6;
}

static void settle_sums(struct trace_options *o)
{
	const bool sums = o->sums_only || o->with_sums;

	if (!o->bpf_sums)
		options__refuse_exit("--no-bpf-summary: this perf sums up in BPF only: leave it out\n");
	if (o->mode && strcmp(o->mode, "thread") && strcmp(o->mode, "total"))
		options__refuse_exit("--summary-mode takes thread or total: not \"%s\"\n", o->mode);
	if (!sums && (o->mode || o->with_errors))
		options__refuse_exit("--summary-mode and --errno-summary need -s or -S\n");
	if (o->sums_only && !o->with_sums && o->max_events)
		options__refuse_exit("--max-events counts lines, of which -s prints none: take -S\n");
	o->by_total = o->mode && !strcmp(o->mode, "total");
	o->trace.written = !o->sums_only || o->with_sums;
	o->trace.summed = sums;
	o->trace.by_cpu = o->by_total;
	o->trace.with_errors = o->with_errors;
}

static void take_call(void *data, const struct trace_call *call)
{
	struct trace_options *o = data;

	if (o->max_events && o->nr_events >= o->max_events)
		return;
	o->nr_events++;
	trace_lines__print(&o->lines, call);
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

/* Enough lines, or nobody who reads them. */
static bool is_full(void *data)
{
	struct trace_options *o = data;

	fflush(o->fp);
	return (o->max_events && o->nr_events >= o->max_events) || ferror(o->fp);
}

static int add_event(struct trace_options *o)
{
	struct tracepoint *tp;
	struct errmsg err;
	int ret;

	if (!o->some_wanted && !o->some_unwanted)
		choose_calls(o, "*", true);
	ret = syscall_formats__new(o->wanted, &o->formats, &err);
	if (!ret)
		ret = syscall_formats__fields(o->formats, &tp, &err) ?: evlist__add_trace(o->recording.evlist, tp, &err);
	if (!ret && o->filter_text)
		ret = evsel__add_filter(o->recording.evlist->evsel[0], "filter", o->filter_text, &err);
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
	o->lines = (struct trace_lines){ .fp = o->fp, .formats = o->formats, .full_time = o->full_time };
	o->sums = trace_sums__new(o->by_total);
	if (!o->sums) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	o->trace.rule = o->formats->rule;
	o->trace.call = take_call;
	o->trace.sum = take_sum;
	o->trace.error = take_error;
	o->trace.data = o;
	o->sink = (struct record_rows){ .row = take_row, .round = end_round, .is_full = is_full, .data = o };
	return 0;
}

int trace_options__settle(struct trace_options *o, char **argv)
{
	struct run_opts *run = &o->recording.opts.run;
	int ret;

	if (!*argv && !run->pids && !run->tids && !run->cpus)
		run->system_wide = true;
	settle_duration(o);
	settle_sums(o);
	o->trace.failed_only = o->failed_only;
	o->trace.max_text = TRACE_MAX_COPY;
	o->trace.max_bytes = 32;
	o->trace.max_sums = TRACE_MAX_SUMS;
	o->counting.key = TALLY_KEY_TID;
	o->recording.opts.count = &o->counting;
	o->recording.opts.trace = &o->trace;
	o->recording.opts.rows = &o->sink;
	ret = add_event(o) ?: record_options__settle(&o->recording, argv);
	return ret ?: open_output(o) ?: prepare_output(o);
}

/* After the run */

static void tell_losses(const struct trace_totals *t)
{
	if (t->lost)
		pr_warn("%" PRIu64 " system calls are missing: the ring buffer was full. Take a larger one (-m), or fewer calls (-e, --filter)\n", t->lost);
	if (t->lost_sums)
		pr_warn("%" PRIu64 " system calls are missing in the sums: the map was full. Take fewer tasks or calls, or --summary-mode total\n",
			t->lost_sums);
	if (t->untracked)
		pr_warn("%" PRIu64 " system calls are missing: the kernel had no memory to follow them\n", t->untracked);
	if (t->compat)
		pr_warn("%" PRIu64 " system calls of 32-bit programs were left out: their numbers have other meanings\n", t->compat);
	if (t->missed)
		pr_warn("%" PRIu64 " hits (of any task) were missed: a BPF program was already running on that CPU\n", t->missed);
}

void trace_options__finish(struct record_options *recording, const struct record_result *result)
{
	struct trace_options *o = (struct trace_options *)recording;

	if (o->trace.summed)
		trace_sums__print(o->sums, o->formats, o->fp);
	tell_losses(result->counts[0].trace);
	if (!fflush(o->fp) && !ferror(o->fp))
		return;
	pr_err("cannot write %s: %s\n", o->path ?: "the lines", strerror(errno));
	o->failed = true;
}

void trace_options__exit(struct trace_options *o)
{
	trace_sums__delete(o->sums);
	syscall_formats__delete(o->formats);
	if (o->fp && o->fp != stderr)
		fclose(o->fp); /* all is written */
}
