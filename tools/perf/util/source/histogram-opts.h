/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options --hist and --latency: parsed from text, then checked against an event.
 *	--hist NUMBER[:log2|:linear,STEP]
 *	--latency EVENT,EVENT[:KEY[+KEY...]]	where KEY is NAME, or NAME=NAME if the second event has another name for it
 */
#ifndef PERF_SOURCE_HISTOGRAM_OPTS_H
#define PERF_SOURCE_HISTOGRAM_OPTS_H

#include "util/bpf_skel/histogram.h"
#include "util/event/evsel.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct histogram_opts {
	char *number;	    /* the name of a term or field; NULL: the time between two events */
	enum histogram_kind kind;
	u64 step;	    /* in ns for times */
	u64 origin;	    /* where linear buckets begin; the same */
	u64 stack_over;	    /* for times: take the stacks where those of at least so many ns end; 0: of none. The tally's key has stacks then */
	u32 max_starts;	    /* for times: limit of concurrent starts without an end */
	struct evlist *end; /* for times: the single event where they end; they begin with the events of the recording */
	char *keys;	    /* for times: the text of KEY+KEY...; NULL: not given */
};

#define HISTOGRAM_MAX_STARTS 16384

/* *opts is zeroed before. End it with histogram_opts__exit, also after -EINVAL and -ENOMEM. */
int histogram_opts__parse_number(struct histogram_opts *opts, const char *text, struct errmsg *err);
/* *start: the text of the first event, for the caller to parse; malloc'ed. Also -EACCES, see evlist__parse(). */
int histogram_opts__parse_latency(struct histogram_opts *opts, const char *text, char **start, struct errmsg *err);
void histogram_opts__exit(struct histogram_opts *opts);

/* Only what does not depend on the event: not its number. */
void histogram_opts__fill(const struct histogram_opts *opts, struct histogram_config *config);
/* Configure for one event of the recording; sets the PERF_SAMPLE_* bits that its attr needs. -EINVAL: it has no such number. */
int histogram_opts__configure(const struct histogram_opts *opts, struct evsel *evsel, struct histogram_config *config, struct errmsg *err);
/* The same for the keys, which must exist in both tracepoints. */
int histogram_opts__configure_latency(const struct histogram_opts *opts, const struct evsel *start, struct latency_config *config,
				 struct errmsg *err);
/* The text of these keys: those that were given, or the default for the two events. */
const char *histogram_opts__keys(const struct histogram_opts *opts, const struct evsel *start);

#endif
