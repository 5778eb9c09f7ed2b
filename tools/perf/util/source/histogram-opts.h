/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What --hist and --latency ask for: first as text, then for a certain event.
 *	--hist NUMBER[:log2|:linear,STEP]
 *	--latency EVENT,EVENT[:KEY[+KEY...]]	where KEY is NAME, or NAME=NAME if it is called otherwise in the second event
 */
#ifndef PERF_SOURCE_HISTOGRAM_OPTS_H
#define PERF_SOURCE_HISTOGRAM_OPTS_H

#include "util/bpf_skel/histogram.h"
#include "util/event/evsel.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct histogram_opts {
	char *number;	    /* the name of a term or field; NULL: the time from one event to another */
	enum histogram_kind kind;
	u64 step;	    /* times: in ns */
	u32 max_starts;	    /* of times: whose end may be yet to come, at once */
	struct evlist *end; /* of times: the one event where they end; they begin with those of the recording */
	char *keys;	    /* of times: the text of KEY+KEY...; NULL: nothing was said */
};

#define HISTOGRAM_MAX_STARTS 16384

/* *opts is 0 before; to be ended by histogram_opts__exit, also after -EINVAL and -ENOMEM. */
int histogram_opts__parse_number(struct histogram_opts *opts, const char *text, struct errmsg *err);
/* *start: the text of the first event, for who makes events; malloc'ed. Also -EACCES, see evlist__parse(). */
int histogram_opts__parse_latency(struct histogram_opts *opts, const char *text, char **start, struct errmsg *err);
void histogram_opts__exit(struct histogram_opts *opts);

/* For one event of the recording, whose attr gets the PERF_SAMPLE_* bits that are needed. -EINVAL: it has no such number. */
int histogram_opts__configure(const struct histogram_opts *opts, struct evsel *evsel, struct histogram_config *config, struct errmsg *err);
/* The same for what must be equal in both of two tracepoints. */
int histogram_opts__configure_latency(const struct histogram_opts *opts, const struct evsel *start, struct latency_config *config,
				 struct errmsg *err);

#endif
