// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "ftrace"

#include "cmd/ftrace/latency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "builtin.h"
#include "util/event/function-name.h"
#include "util/event/tracepoint.h"
#include "util/lib/advice.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"
#include "util/source/graph-tracer.h"

#define KPROBES "/sys/bus/event_source/devices/kprobe"

/* The two events */

static int out_of_memory(void)
{
	pr_err("out of memory\n");
	return EXIT_SETUP;
}

/* The function of the kernel that -T names; NULL: it names another one. */
static const char *function_of_kernel(const struct latency_options *o)
{
	const char *name = o->function && !strncmp(o->function, "kprobe:", strlen("kprobe:")) ? o->function + strlen("kprobe:") : o->function;

	return name && !strpbrk(name, ":+") ? name : NULL;
}

/* vfs_read, PATH:FUNCTION, or an event as in -e of perf record. The text of --latency; NULL: no memory. */
static char *events_of_function(const char *function, bool force)
{
	const char *how = force ? "-force" : "";
	char *text;
	int ret;

	if (!strncmp(function, "kprobe:", strlen("kprobe:")))
		ret = asprintf(&text, "%s,kret%s", function, function + 1);
	else if (!strncmp(function, "uprobe:", strlen("uprobe:")))
		ret = asprintf(&text, "%s,uretprobe%s%s", function, how, function + strlen("uprobe"));
	else if (strchr(function, ':'))
		ret = asprintf(&text, "uprobe:%s,uretprobe%s:%s", function, how, function);
	else
		ret = asprintf(&text, "kprobe:%s,kretprobe:%s", function, function);
	return ret < 0 ? NULL : text;
}

struct finding {
	const char *name;
	char found[128];
};

static int take_first(void *data, const char *sys, const char *name)
{
	struct finding *f = data;

	if (!f->found[0] && !strcmp(name, f->name)) /* no pattern */
		snprintf(f->found, sizeof(f->found), "%s:%s", sys, name);
	return 0;
}

/* Other perfs take the names of raw tracepoints, sched_switch, which have no system. */
static void put_event(FILE *fp, const char *text, size_t len)
{
	char name[64];
	struct finding f = { .name = name };

	if (!memchr(text, ':', len) && len < sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		tracepoint__for_each("*", name, take_first, &f, NULL);
	}
	if (f.found[0])
		fputs(f.found, fp);
	else
		fprintf(fp, "%.*s", (int)len, text);
}

static char *complete_names(const char *events)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	for (const char *at = events, *comma; at; at = comma ? comma + 1 : NULL) {
		comma = function_name__find(at, ",");
		put_event(fp, at, comma ? (size_t)(comma - at) : strlen(at));
		if (comma)
			fputc(',', fp);
	}
	if (!fclose(fp))
		return text;
	free(text);
	return NULL;
}

static int parse_events(struct latency_options *o, const char *text)
{
	struct evlist *evlist = o->recording.evlist;
	char *start = NULL;
	struct errmsg err;
	int ret;

	ret = histogram_opts__parse_latency(&o->histogram, text, &start, &err) ?: evlist__parse(evlist, start, NULL, &err);
	if (!ret && (evlist->nr != 1 || !evlist->evsel[0]->tp))
		ret = errmsg__set(&err, EINVAL, "times are taken from one event to one other");
	if (!ret && o->filter_text)
		ret = evsel__add_filter(evlist->evsel[0], "filter", o->filter_text, &err);
	free(start);
	if (ret)
		pr_err("%s\n", err.text);
	return ret ? EXIT_SETUP : 0;
}

static int add_calls(struct latency_options *o)
{
	struct errmsg err;

	if (!evlist__add_kind(o->recording.evlist, &calls_kind, function_of_kernel(o), NULL, &err))
		return 0;
	pr_err("%s\n", err.text);
	return EXIT_SETUP;
}

static int add_events(struct latency_options *o)
{
	char *text;
	int ret;

	if (!o->in_bpf)
		return add_calls(o);
	text = o->function ? events_of_function(o->function, o->force) : complete_names(o->events);
	ret = text ? parse_events(o, text) : out_of_memory();
	free(text);
	return ret;
}

/* Rows on their way: all to the table, those with stacks to the output of stacks, too */

#define SHOWN_STACKS (TALLY_KEY_COMM | TALLY_KEY_KSTACK | TALLY_KEY_USTACK)

static int take_row(void *data, unsigned int event, struct tally_row *row, struct errmsg *err)
{
	struct latency_options *o = data;

	duration_table__add(o->table, row);
	duration_table__add(o->total, row);
	if (!row->nr_kstack && !row->nr_ustack)
		row->count = 0; /* only stacks go on to their output */
	return 0;
}

static int end_round(void *data, struct errmsg *err)
{
	struct latency_options *o = data;

	if (!o->interval)
		return 0;
	duration_table__print(o->table, stdout);
	fputc('\n', stdout);
	stream__flush(stdout);
	duration_table__clear(o->table);
	return 0;
}

static int prepare_output(struct latency_options *o)
{
	o->table = duration_table__new(&o->table_opts);
	o->total = duration_table__new(&o->table_opts);
	o->rows = (struct record_rows){ .row = take_row, .round = end_round, .is_full = stream__stdout_has_failed, .data = o };
	if (!o->table || !o->total)
		return out_of_memory();
	o->stacks.folded = FOLDED_SAMPLES;
	return o->stack_over ? sample_bpf_live__begin(&o->stacks, &o->recording, SHOWN_STACKS, TALLY_MAX_STACK) : 0;
}

/* Options */

static void settle_what(const struct latency_options *o)
{
	if (!o->histogram.max_starts || o->histogram.max_starts > 1 << 24)
		options__refuse_exit("--max-starts takes 1 to %u\n", 1 << 24);
	if (!o->function && !o->events)
		options__refuse_exit("name a function (-T), or two events (-e BEGIN,END)\n");
	if (o->function && o->events)
		options__refuse_exit("-T and -e exclude each other\n");
	if (o->function && function_name__find(o->function, ","))
		options__refuse_exit("-T takes one function: not \"%s\"\n", o->function);
	if (function_of_kernel(o) && strpbrk(function_of_kernel(o), "*?[]!"))
		options__refuse_exit("-T takes one function and no pattern: not \"%s\"\n", o->function);
}

/* Without kprobes, BPF programs cannot be attached to functions of the kernel. */
static void settle_engine(struct latency_options *o)
{
	if (o->in_bpf && function_of_kernel(o) && access(KPROBES, F_OK) && graph_tracer__exists())
		o->in_bpf = false;
	if (o->in_bpf)
		return;
	if (!function_of_kernel(o))
		options__refuse_exit("--no-use-bpf takes the kernel's function tracer, which measures functions of the kernel only (-T)\n");
	if (o->histogram.max_starts != HISTOGRAM_MAX_STARTS)
		options__refuse_exit("--max-starts makes room for BPF programs, and the kernel's function tracer needs none: leave it out\n");
	if (o->filter_text || o->stack_over)
		options__refuse_exit("%s needs BPF programs on functions: %s\n", o->filter_text ? "--filter" : "--stack-over",
				     access(KPROBES, F_OK) ? "this kernel has no kprobes" : "leave --no-use-bpf out");
}

static void settle_buckets(struct latency_options *o)
{
	const struct duration_table_opts *t = &o->table_opts;
	const u64 unit = t->in_ns ? 1 : 1000;

	if ((t->min || t->max) && !t->range)
		options__refuse_exit("--min-latency and --max-latency need --bucket-range\n");
	if (t->max && t->max <= t->min)
		options__refuse_exit("--max-latency must be above --min-latency\n");
	if (t->range > UINT32_MAX || t->min > UINT32_MAX || t->max > UINT32_MAX)
		options__refuse_exit("--bucket-range, --min-latency and --max-latency take at most %u\n", UINT32_MAX);
	if (o->stack_over > UINT32_MAX)
		options__refuse_exit("--stack-over takes at most %u\n", UINT32_MAX);
	o->histogram.kind = t->range ? HISTOGRAM_LINEAR : HISTOGRAM_LOG2;
	o->histogram.step = (t->range ?: 1) * unit;
	o->histogram.origin = t->min * unit;
}

int latency_options__settle(struct latency_options *o, char **argv)
{
	struct record_opts *opts = &o->recording.opts;
	int ret;

	settle_what(o);
	settle_engine(o);
	if (!*argv && !opts->run.pids && !opts->run.tids && !opts->run.cpus)
		opts->run.system_wide = true;
	ret = add_events(o);
	if (ret)
		return ret;
	settle_buckets(o);
	o->histogram.stack_over = o->stack_over * 1000;
	o->counting.key = o->stack_over ? SHOWN_STACKS | TALLY_KEY_PID : 0;
	opts->count = &o->counting;
	opts->histogram = &o->histogram;
	opts->rows = &o->rows;
	opts->interval = o->interval;
	return record_options__settle(&o->recording, argv) ?: prepare_output(o);
}

/* After the run */

static void tell_losses(const struct latency_options *o, const struct tally_counts *c)
{
	if (o->events && !o->histogram.keys)
		pr_info("An end belongs to the last start with the same %s (-e BEGIN,END:KEY names others)\n",
			histogram_opts__keys(&o->histogram, o->recording.evlist->evsel[0]));
	if (c->open_starts)
		pr_info("%" PRIu64 " start%s had no end\n", c->open_starts, plural(c->open_starts));
	if (c->lone_ends)
		pr_info("%" PRIu64 " end%s had no start with the same key%s, and %s not counted\n", c->lone_ends, plural(c->lone_ends),
			c->dropped ? ", or one that the filter dropped" : "", c->lone_ends == 1 ? "is" : "are");
	if (c->lost_starts)
		pr_warn("%" PRIu64 " start%s %s not measured: there was no room for more. Make room (--max-starts, now %u)\n", c->lost_starts,
			plural(c->lost_starts), were(c->lost_starts), o->histogram.max_starts);
	if (!o->in_bpf && c->lost_spill)
		pr_warn("%" PRIu64 " record%s of calls %s lost: the buffer of the kernel's function tracer was full\n", c->lost_spill,
			plural(c->lost_spill), were(c->lost_spill));
	else if (c->lost_keys || c->lost_spill)
		pr_warn("%" PRIu64 " time%s %s not counted: the table was full\n", c->lost_keys + c->lost_spill,
			plural(c->lost_keys + c->lost_spill), were(c->lost_keys + c->lost_spill));
	if (c->lost_stacks)
		pr_warn("%" PRIu64 " stack%s could not be read\n", c->lost_stacks, plural(c->lost_stacks));
	if (c->missed)
		pr_warn("%" PRIu64 " hit%s (of any task) %s missed: a BPF program was already running on that CPU\n", c->missed,
			plural(c->missed), were(c->missed));
}

void latency_options__finish(struct record_options *recording, const struct record_result *result)
{
	struct latency_options *o = (struct latency_options *)recording;

	if (duration_table__count(o->total)) {
		duration_table__print(o->total, stdout);
		duration_table__print_statistics(o->total, stdout);
	} else {
		fputs("No data found\n", stdout);
	}
	if (o->stack_over) {
		printf("\n# stacks of what took %" PRIu64 " us or more, and how often\n", o->stack_over);
		sample_bpf_live__finish(&o->stacks);
	}
	stream__flush(stdout); /* before the messages */
	tell_losses(o, &result->counted[0]);
}

void latency_options__exit(struct latency_options *o)
{
	sample_bpf_live__exit(&o->stacks);
	duration_table__delete(o->table);
	duration_table__delete(o->total);
	histogram_opts__exit(&o->histogram);
}
