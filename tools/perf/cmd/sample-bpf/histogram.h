/* SPDX-License-Identifier: GPL-2.0 */
/* The part of perf sample-bpf that counts in histograms: --hist and --latency. */
#ifndef PERF_CMD_SAMPLE_BPF_HISTOGRAM_H
#define PERF_CMD_SAMPLE_BPF_HISTOGRAM_H

#include <stdbool.h>
#include "cmd/record/options.h"
#include "ui/tally/histogram-output.h"
#include "util/lib/options.h"

struct sample_bpf_histogram {
	struct record_options *recording; /* the recording of the options */
	struct histogram_opts opts;
	bool hist, latency, json; /* options that were given */
	const char *unit;	  /* unit for --latency */
	struct histogram_output_opts output_opts;
	struct histogram_output *output;
	struct record_rows rows;
	const char **names; /* names of the events */
};

#define SAMPLE_BPF_HISTOGRAM_INIT(r) { .recording = &(r), .opts = { .max_starts = HISTOGRAM_MAX_STARTS } }

/* Rows for a table of options; h is a struct sample_bpf_histogram with static storage. */
#define SAMPLE_BPF_HISTOGRAM_OPTIONS(h) \
	OPT_CALLBACK(0, "hist", &(h), "number[:log2|:linear,step]", "count the values of a filter term or of a tracepoint's field", \
		     sample_bpf_histogram__parse), \
	OPT_CALLBACK(0, "latency", &(h), "event,event[:key[+key...]]", "count the time from one tracepoint to another one with the same key " \
		     "(by default what their fields allow, else tid)", \
		     sample_bpf_histogram__parse_latency), \
	OPT_STRING(0, "unit", &(h).unit, "unit", "set the unit of --latency: ns, us or ms (ns)"), \
	OPT_UINT(0, "max-starts", &(h).opts.max_starts, "n", "keep room for this many starts that wait for their end (16384)"), \
	OPT_BOOL(0, "json", &(h).json, "print histograms as JSON, not as bars")

int sample_bpf_histogram__parse(const struct option_row *row, const char *arg, bool unset);
int sample_bpf_histogram__parse_latency(const struct option_row *row, const char *arg, bool unset);

bool sample_bpf_histogram__wanted(const struct sample_bpf_histogram *h);
/* Check and combine the options; counting->key comes from --key. Before record_options__settle(). NULL, or why they are refused. */
const char *sample_bpf_histogram__settle(struct sample_bpf_histogram *h, struct tally_opts *counting);
/* Before the run, when the events are known. 0, or the exit status after a message. */
int sample_bpf_histogram__begin(struct sample_bpf_histogram *h);
/* After the run: print the rest, and what was lost. */
void sample_bpf_histogram__finish(struct sample_bpf_histogram *h, const struct record_result *result);
void sample_bpf_histogram__exit(struct sample_bpf_histogram *h);

#endif
