/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filter of one evsel on its way into the kernel: a BPF program for samples, or the kernel's own event filter for the
 * fields of a tracepoint.
 */
#ifndef PERF_SAMPLER_EVENT_FILTER_H
#define PERF_SAMPLER_EVENT_FILTER_H

#include <stdio.h>
#include "util/event/evsel.h"
#include "util/filter/filter.h"
#include "util/sampler/bpf-filter.h"
#include "util/sampler/filter-engine.h"

struct code_lookup;

struct event_filter {
	struct filter *tree;	    /* NULL: the text is not in our language, only the kernel understands it */
	struct filter_table *table; /* for BPF; NULL: not judged there */
	char *kernel;		    /* for the kernel's own filter; NULL: not judged there */
	const struct filter_engine *engine; /* for the table */
	struct bpf_filter *bpf;	    /* once loaded */
	bool explain;		    /* set by the caller before it is compiled: count what each test does */
};

/* From evsel->filter, which is not NULL; code looks functions and files up. -EINVAL: a wrong filter. */
int event_filter__compile(struct event_filter *f, const struct evsel *evsel, struct code_lookup *code, struct errmsg *err);

/* Load what has to be loaded, before the evsel is opened; then attach to each descriptor, before it is enabled. */
int event_filter__load(struct event_filter *f, struct errmsg *err);
int event_filter__attach(struct event_filter *f, const struct evsel *evsel, int fd, struct errmsg *err);

/* Each stage, and the program it becomes; for its size it is loaded, where that is allowed. */
void event_filter__dump(const struct event_filter *f, FILE *fp);
/* What each test of the text has done since the filter was loaded, if its engine can tell. */
int event_filter__dump_clauses(const struct event_filter *f, FILE *fp, struct errmsg *err);
void event_filter__exit(struct event_filter *f);

#endif
