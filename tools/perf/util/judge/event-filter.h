/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filter of one evsel on its way into the kernel: a BPF program for samples, or the kernel's own event filter for the
 * fields of a tracepoint.
 */
#ifndef PERF_JUDGE_EVENT_FILTER_H
#define PERF_JUDGE_EVENT_FILTER_H

#include <stdio.h>
#include "util/event/evsel.h"
#include "util/filter/filter.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/filter-engine.h"

struct code_lookup;

struct event_filter {
	struct filter *tree;	    /* NULL: the text is not in our language, only the kernel understands it */
	struct filter_table *table; /* for a BPF program on the event; NULL: not judged there */
	char *kernel;		    /* for the kernel's own filter; NULL: not judged there */
	struct filter_table *tp_table; /* for a BPF program on the tracepoint, of fields and terms; NULL: not judged there */
	const struct filter_engine *engine; /* for the table */
	struct bpf_filter *bpf;	    /* once loaded */
	bool explain;		    /* set by the caller before it is compiled: count what each test does */
	/* Events whose filters are equal share a program, which belongs to the first of them. */
	struct event_filter *first; /* NULL: this is the first, or the only one */
	u32 nr_equal;		    /* of the first: how many more there are */
	u32 place;		    /* among those that share it; 0: the first */
	bool shares;		    /* bpf is the first one's: not each kernel can have it so */
};

/* Of an event that is no tracepoint: from evsel->filter, which is not NULL; code looks functions and files up. -EINVAL: a wrong filter. */
int event_filter__compile(struct event_filter *f, const struct evsel *evsel, struct code_lookup *code, struct errmsg *err);

/*
 * The same for a tracepoint, whose samples either the kernel makes, and judges by kernel, or a BPF program does, and judges by tp_table;
 * the other one is NULL. no_bpf: why it cannot be BPF at all; NULL: it can. *note: what is to be told of the choice; a constant, no_bpf,
 * or NULL.
 */
enum tp_judge {
	TP_JUDGE_KERNEL, /* if it can */
	TP_JUDGE_BPF,	 /* if it can, but not where texts in the task's memory are compared, of which the kernel sees more */
	TP_JUDGE_BPF_ONLY,
};

int event_filter__compile_tracepoint(struct event_filter *f, const struct evsel *evsel, enum tp_judge judge, const char *no_bpf,
				     const char **note, struct errmsg *err);

/*
 * enum filter_owned: what a program finds out by itself of samples of evsel, as they may be another event's. checks_time: the time, too. A program
 * that is pinned for users does that for filters of the time alone, as it can put nothing right.
 */
u32 event_filter__own(const struct evsel *evsel, bool checks_time);
/* Does the program compare the times of samples with its clock? */
bool event_filter__checks_time(const struct event_filter *f);
/* Can it not, although the time may be another event's? */
bool event_filter__leaves_time(const struct event_filter *f);

/* Let two that are compiled share a program if they are equal. Not before is loaded first, nor a later one before first. */
bool event_filter__share(struct event_filter *f, struct event_filter *first);

/*
 * Load what has to be loaded, before the evsel is opened; then attach to each descriptor, before it is enabled. In between it is
 * opened with attr.sig_data as event_filter__mark() says, by which a program that is shared tells its events apart.
 */
int event_filter__load(struct event_filter *f, struct errmsg *err);
u64 event_filter__mark(const struct event_filter *f);
int event_filter__attach(struct event_filter *f, const struct evsel *evsel, int fd, struct errmsg *err);

/* Without a recording: would the kernel take what it is to judge by? The error is that of event_filter__attach(). */
int event_filter__ask_kernel(const struct event_filter *f, const struct evsel *evsel, struct errmsg *err);

/* After -EOPNOTSUPP of who loads the table, that the kernel is too old for it: let err say for which test, too. */
void event_filter__name_refused_test(const struct event_filter *f, struct errmsg *err);

/* Of this event alone. */
int event_filter__counts(const struct event_filter *f, struct filter_counts *counts, struct errmsg *err);

/* Each stage. */
void event_filter__dump(const struct event_filter *f, FILE *fp);
/* The program that the table becomes, if nothing else judges its samples; for its size it is loaded, where that is allowed. */
void event_filter__dump_engine(const struct event_filter *f, FILE *fp);
/* What each test of the text has done since the filter was loaded, if its engine can tell. */
int event_filter__dump_clauses(const struct event_filter *f, FILE *fp, struct errmsg *err);
void event_filter__exit(struct event_filter *f);

#endif
