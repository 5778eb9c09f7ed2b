/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filter of one evsel on its way into the kernel: either a BPF program, or the kernel's own event filter for the fields of a
 * tracepoint.
 */
#ifndef PERF_JUDGE_EVENT_FILTER_H
#define PERF_JUDGE_EVENT_FILTER_H

#include <stdio.h>
#include "util/event/evsel.h"
#include "util/filter/filter.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/filter-engine.h"

struct bpf_programs;
struct code_lookup;

struct event_filter {
	struct filter *tree;	    /* NULL: the text is not in our language; only the kernel understands it */
	struct filter_table *table; /* for a BPF program on the event; NULL: not used */
	char *kernel;		    /* for the kernel's own filter; NULL: not used */
	struct filter_table *tp_table; /* for a BPF program on the tracepoint, with fields and terms; NULL: not used */
	const struct filter_engine *engine; /* engine for the table */
	struct bpf_filter *bpf;	    /* once loaded */
	/*
	 * The programs whose map target_tasks marks the target's tasks: the filter's program sees samples of these only, as its event
	 * is opened on each CPU. Without a filter one of these programs itself takes the samples. NULL: all samples of the event are
	 * seen. Not owned; set before loading.
	 */
	const struct bpf_programs *marks;
	bool explain;		    /* set by the caller before compiling: count the results of each test */
	/* Events with equal filters share a program, which the first of them owns. */
	struct event_filter *first; /* NULL: this is the first, or the only one */
	u32 nr_equal;		    /* in the first: number of further events */
	u32 place;		    /* index among those that share it; 0: the first */
	bool shares;		    /* bpf is that of the first; not every kernel supports this */
};

/*
 * Compile evsel->filter, which is not NULL, of an event that is no tracepoint; code looks up functions and files. -EINVAL: a wrong
 * filter.
 */
int event_filter__compile(struct event_filter *f, const struct evsel *evsel, struct code_lookup *code, struct errmsg *err);

/*
 * The same for a tracepoint. Either the kernel makes its samples and judges by f->kernel, or a BPF program does and judges by
 * f->tp_table; the other one is NULL. no_bpf: why BPF is impossible; NULL: it is possible. *note: what to tell the user about the
 * choice; a constant, no_bpf, or NULL.
 */
enum tp_judge {
	TP_JUDGE_KERNEL, /* if possible */
	TP_JUDGE_BPF,	 /* if possible, except where texts in the task's memory are compared, of which the kernel sees more */
	TP_JUDGE_BPF_ONLY,
};

int event_filter__compile_tracepoint(struct event_filter *f, const struct evsel *evsel, enum tp_judge judge, const char *no_bpf,
				     const char **note, struct errmsg *err);

/*
 * Return which members of evsel's samples a program must determine by itself (enum filter_owned), as they may hold another event's
 * values. checks_time: including the time. A program that is pinned for users does so only for filters of the time, as it cannot
 * correct records.
 */
u32 event_filter__own(const struct evsel *evsel, bool checks_time);
u64 event_filter__clocks(const struct evsel *evsel); /* filter_words.clocks of a program for this event alone */
/* Does the program compare the time of samples with its own clock? */
bool event_filter__checks_time(const struct event_filter *f);
/* Is the program unable to do so, although the time may be another event's? */
bool event_filter__leaves_time(const struct event_filter *f);

/* Share a program between two compiled filters if they are equal. Load first before f, and let f share before first is loaded. */
bool event_filter__share(struct event_filter *f, struct event_filter *first);

/*
 * Load before the evsel is opened; attach to each descriptor before it is enabled. In between, open it with attr.sig_data =
 * event_filter__mark(), by which a shared program identifies its events.
 */
int event_filter__load(struct event_filter *f, struct errmsg *err);
u64 event_filter__mark(const struct event_filter *f);
int event_filter__attach(struct event_filter *f, const struct evsel *evsel, int fd, struct errmsg *err);

/* Without a recording: would the kernel accept its filter? Error as event_filter__attach(). */
int event_filter__ask_kernel(const struct event_filter *f, const struct evsel *evsel, struct errmsg *err);

/* After -EOPNOTSUPP from loading the table, because the kernel is too old: add the test that it refuses to err. */
void event_filter__name_refused_test(const struct event_filter *f, struct errmsg *err);

/* Counts of this event only. */
int event_filter__counts(const struct event_filter *f, struct filter_counts *counts, struct errmsg *err);

/* The walks of a filter, and for how many samples each led to no value, so that its tests were false. */
struct filter_missing {
	unsigned int nr;
	struct {
		char text[256];
		u64 samples;
	} walk[FILTER_MAX_WALKS];
};
void filter_missing__fill(struct filter_missing *missing, const struct event_filter *f, const u64 valueless[FILTER_MAX_WALKS]);

/* Print each stage. */
void event_filter__dump(const struct event_filter *f, FILE *fp);
/* Print the program that the table becomes, if it judges alone; loads it for its size, where allowed. */
void event_filter__dump_engine(const struct event_filter *f, FILE *fp);
/* Print what each test of the text has done since the filter was loaded, if its engine counts that. */
int event_filter__dump_clauses(const struct event_filter *f, FILE *fp, struct errmsg *err);
void event_filter__exit(struct event_filter *f);

#endif
