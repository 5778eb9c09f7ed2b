/* SPDX-License-Identifier: GPL-2.0 */
/* perf ftrace latency: its options, and rows on their way to the table. */
#ifndef PERF_CMD_FTRACE_LATENCY_H
#define PERF_CMD_FTRACE_LATENCY_H

#include <stdbool.h>
#include "cmd/record/options.h"
#include "cmd/sample-bpf/live.h"
#include "ui/tally/duration-table.h"
#include "util/source/histogram-opts.h"

struct latency_options {
	struct record_options recording; /* first member: the function that prints results gets it */
	struct histogram_opts histogram;
	struct tally_opts counting;
	struct duration_table_opts table_opts;
	const char *function, *events, *filter_text; /* as given */
	bool in_bpf;	       /* -b; false: by the kernel's function tracer */
	bool force;	       /* measure functions of Go, too */
	u64 stack_over;	       /* us; 0: no stacks */
	unsigned int interval; /* ms; 0: none */
	/* Of the run */
	struct record_rows rows;
	struct sample_bpf_live stacks;
	struct duration_table *table, *total; /* of the round; of all */
};

#define LATENCY_OPTIONS_INIT \
	{ .recording = RECORD_OPTIONS_INIT, .histogram = { .max_starts = HISTOGRAM_MAX_STARTS }, .counting = TALLY_OPTS_INIT, .in_bpf = true }

/* Check and combine all options. 0 or an exit status, after a message; a wrong command line may exit. argc, argv: the whole of perf's. */
int latency_options__settle(struct latency_options *o, char **argv);
/* After the run: print the table. A record_tell. */
void latency_options__finish(struct record_options *recording, const struct record_result *result);
void latency_options__exit(struct latency_options *o);

#endif
