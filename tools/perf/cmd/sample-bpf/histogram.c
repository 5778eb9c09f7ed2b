// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sample-bpf"

#include "cmd/sample-bpf/histogram.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/advice.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"

/* Possible keys of a histogram; stacks and addresses would require reading a file. */
#define SHOWN_KEYS (TALLY_KEY_COMM | TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_CPU | TALLY_KEY_CGROUP | TALLY_KEY_UID)

static int refuse_second(struct sample_bpf_histogram *h)
{
	if (!h->hist && !h->latency)
		return 0;
	pr_err("--hist and --latency exclude each other, and each may be given once: leave one out, and run perf again for it\n");
	return -1;
}

int sample_bpf_histogram__parse(const struct option_row *row, const char *arg, bool unset)
{
	struct sample_bpf_histogram *h = row->value;
	struct errmsg err;

	if (unset)
		return record_options__refuse_unset(row);
	if (refuse_second(h))
		return -1;
	h->hist = true;
	if (!histogram_opts__parse_number(&h->opts, arg, &err))
		return 0;
	pr_err("--hist: %s\n", err.text);
	return -1;
}

/* The first event is one of the recording, so that filters can follow it. */
int sample_bpf_histogram__parse_latency(const struct option_row *row, const char *arg, bool unset)
{
	const struct option_row event = { .long_name = "latency", .value = ((struct sample_bpf_histogram *)row->value)->recording };
	struct sample_bpf_histogram *h = row->value;
	struct errmsg err;
	char *start = NULL;
	int ret;

	if (unset)
		return record_options__refuse_unset(row);
	if (refuse_second(h))
		return -1;
	h->latency = true;
	ret = histogram_opts__parse_latency(&h->opts, arg, &start, &err);
	if (ret)
		pr_err("--latency: %s\n", err.text);
	else
		ret = record_options__parse_event(&event, start, false);
	free(start);
	return ret ? -1 : 0;
}

bool sample_bpf_histogram__wanted(const struct sample_bpf_histogram *h)
{
	return h->hist || h->latency;
}

static const char *settle_latency(struct sample_bpf_histogram *h)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 } };
	const struct evlist *evlist = h->recording->evlist;

	if (evlist->nr != 1 || !evlist->evsel[0]->tp)
		return "--latency takes the two tracepoints that it names, and no other event";
	if (!h->opts.max_starts || h->opts.max_starts > 1 << 24)
		return "--max-starts takes 1 to 16777216";
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!h->unit || !strcmp(h->unit, units[i].name)) {
			h->unit = units[i].name;
			h->opts.step = units[i].ns;
			return NULL;
		}
	}
	return "--unit takes ns, us or ms";
}

const char *sample_bpf_histogram__settle(struct sample_bpf_histogram *h, struct tally_opts *counting)
{
	if (h->json && !sample_bpf_histogram__wanted(h))
		return "--json needs --hist or --latency; perf report --json prints what is in a file";
	if (!h->latency && (h->unit || h->opts.max_starts != HISTOGRAM_MAX_STARTS))
		return "--unit and --max-starts need --latency";
	if (!sample_bpf_histogram__wanted(h))
		return NULL;
	if (counting->key & ~SHOWN_KEYS)
		return "--hist and --latency take --key comm, pid, tid, cpu, cgroup and uid, not places in code: leave those out, or --hist";
	if (counting->both || h->recording->opts.attr.callgraph.mode || h->recording->opts.output)
		return "--hist and --latency print what they count, and write no file (let the shell do that: >FILE): they go neither with "
		       "-o and --both, nor with -g";
	return h->latency ? settle_latency(h) : NULL;
}

/* Passing rows to the output */

static int take_row(void *data, unsigned int event, struct tally_row *row, struct errmsg *err)
{
	struct sample_bpf_histogram *h = data;

	return h->output->ops->row(h->output, event, row) ? errmsg__set(err, ENOMEM, "out of memory for a histogram") : 0;
}

static int end_round(void *data, struct errmsg *err)
{
	struct sample_bpf_histogram *h = data;

	return h->output->ops->round(h->output) ? errmsg__set(err, ENOMEM, "out of memory for a histogram") : 0;
}

int sample_bpf_histogram__begin(struct sample_bpf_histogram *h)
{
	struct record_opts *opts = &h->recording->opts;
	const struct evlist *evlist = h->recording->evlist;

	h->names = calloc(evlist->nr, sizeof(*h->names));
	for (unsigned int i = 0; h->names && i < evlist->nr; i++)
		h->names[i] = evlist->evsel[i]->name;
	h->output_opts = (struct histogram_output_opts){
		.fp = stdout,
		.key = opts->count->key,
		.event = h->names,
		.nr_events = evlist->nr,
		.number = h->opts.number,
		.end = h->opts.end ? h->opts.end->evsel[0]->name : NULL,
		.unit = h->unit,
		.interval = opts->interval,
	};
	if (h->names)
		h->output = histogram_formats[h->json ? HISTOGRAM_JSON : HISTOGRAM_TEXT].new(&h->output_opts);
	if (!h->output) {
		pr_err("out of memory for a histogram\n");
		return EXIT_SETUP;
	}
	h->rows = (struct record_rows){ .row = take_row, .round = end_round, .is_full = stream__stdout_has_failed, .data = h };
	opts->rows = &h->rows;
	opts->histogram = &h->opts;
	return 0;
}

static void tell_latency(const struct sample_bpf_histogram *h, const struct tally_counts *c)
{
	if (!h->opts.keys)
		pr_info("An end belongs to the last start with the same %s, as no other key was named (--latency EVENT,EVENT:KEY)\n",
			histogram_opts__keys(&h->opts, h->recording->evlist->evsel[0]));
	if (c->open_starts)
		pr_info("%" PRIu64 " start%s had no end\n", c->open_starts, plural(c->open_starts));
	if (c->lone_ends)
		pr_info("%" PRIu64 " end%s had no start with the same key%s, and %s not counted\n", c->lone_ends, plural(c->lone_ends),
			c->dropped ? ", or one that the filter dropped" : "", c->lone_ends == 1 ? "is" : "are");
	if (c->lost_starts)
		pr_warn("%" PRIu64 " start%s %s not counted: there was no room for more. Make room (--max-starts, now %u)\n",
			c->lost_starts, plural(c->lost_starts), were(c->lost_starts), h->opts.max_starts);
}

void sample_bpf_histogram__finish(struct sample_bpf_histogram *h, const struct record_result *result)
{
	h->output->ops->finish(h->output, result->counted);
	for (u32 i = 0; i < h->output_opts.nr_events; i++) {
		const struct tally_counts *c = &result->counted[i];

		if (h->latency)
			tell_latency(h, c);
		if (c->missed)
			pr_warn("%s: %" PRIu64 " hit%s (of any task) %s missed: a BPF program was already running on that "
					       "CPU\n", h->names[i], c->missed, plural(c->missed), were(c->missed));
	}
}

void sample_bpf_histogram__exit(struct sample_bpf_histogram *h)
{
	if (h->output)
		h->output->ops->delete(h->output);
	free(h->names);
	histogram_opts__exit(&h->opts);
}
