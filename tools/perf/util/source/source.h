/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A source makes the samples of one event, or counts them: the kernel's ring, programs that count what the kernel samples, or programs that
 * make samples themselves. Each kind is a row of the table in sources.c; the sampler calls what the row has and knows nothing of kinds.
 *
 * Order of calls: choose, share, then for each opening of a target load, attach, enable, drain ..., disable, drain, counts; delete at the end.
 * What a kind does not do is NULL.
 *
 * Where programs make the samples (stand_in), the event is in the file like others. What is open for it are dummy events, which give it
 * ids, side-band and the hang-up of its tasks. Such samples are complete PERF_RECORD_SAMPLEs in the layout that the evsel's attr describes,
 * and their times are of CLOCK_MONOTONIC, which all events of such a recording are set to.
 */
#ifndef PERF_SOURCE_SOURCE_H
#define PERF_SOURCE_SOURCE_H

#include <stdio.h>
#include "util/event/evsel.h"
#include "util/judge/event-filter.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/source/tally.h"
#include "util/source/target.h"

struct histogram_opts;
struct offcpu_opts;
struct source;

struct source_wish { /* what is asked of one event */
	struct evsel *evsel;			/* its attr gets the PERF_SAMPLE_* bits that are needed */
	struct code_lookup *code;		/* for filters that name functions and files */
	unsigned int nr_tracepoints;		/* tracepoint events in the recording */
	bool explain;				/* count what each test of the filter does */
	const struct tally_opts *tally;		/* count samples; NULL: write them, or it is of the side-band */
	const struct histogram_opts *histogram; /* with tally: count by bucket of this; NULL: by whole keys */
	const struct offcpu_opts *off_cpu;
	/* What choosing has found out so far; the source that is chosen takes it over: */
	struct event_filter filter;
	char why[200]; /* the kernel makes samples that programs would be better for: why; or "" */
};

struct source_setup {
	const struct sampler_target *target; /* valid during load only */
	u64 id;		  /* that samples carry, if the attr wants one */
	size_t ring_size; /* that -m asks for in all, in bytes; 0: nothing was asked for */
};

/* What came of the sleeps; of an event of off-CPU time. */
struct offcpu_totals {
	u64 sent;	  /* sleeps that are samples of their own because they were long, */
	u64 spilled;	  /* because there was no room for another sum, */
	u64 asleep;	  /* or because they were not over at the end: the time so far */
	u64 summed;	  /* all others */
	u64 sums;	  /* samples that those made */
	u64 lost_ns;	  /* of sleeps that are lost because the ring was full */
	u64 lost_stacks;  /* sleeps without a stack */
	u64 stacks, stack_bytes; /* different ones, and the memory they take here */
	const char *note; /* what is not as it should be, in one line, or ""; the source's */
};

struct sampler_counts { /* of one evsel, over all its descriptors */
	bool filtered;		/* seen and dropped are known */
	bool lost_known;	/* lost is */
	u64 seen, dropped;	/* by the BPF filter */
	u64 judged;		/* of those seen: it could not look up which file the code is in, as the maps were locked, but perf could later */
	u64 undecided;		/* of those kept: perf could not either */
	u64 unmended;		/* of those kept: not written, as they hold what another recording's event wanted (sampler-ids.c) */
	u64 untaken;		/* samples that the kernel did not take, at the least; known of events with BPF programs: sampler-untaken.c */
	u64 lost;		/* samples lost by the kernel: ring full (PERF_FORMAT_LOST, kernel 6.0 and newer) */
	u64 untracked;		/* tasks of the target that a BPF program could not follow, so that they have no samples */
	u64 period;		/* of those seen, in all; only where programs judge what the kernel samples */
	const struct offcpu_totals *off_cpu; /* of off-CPU time, whose samples stand for several; else NULL. The source's */
};

typedef int (*source_records_cb)(void *data, const void *records, size_t size);
typedef int (*source_row_cb)(void *data, const struct tally_row *row);

struct source_ops {
	const char *name;
	bool stand_in; /* BPF programs make the samples: dummies are opened in the event's place */
	bool mended;   /* the kernel writes the samples to rings, where the sampler puts right what is another event's: sampler-ids.c */

	/*
	 * Make *source if this kind serves the wish; else leave it NULL for the rows below. -EINVAL: the filter or the wish is wrong;
	 * -EOPNOTSUPP: BPF cannot have this event as it is asked for. After an error *source may be half-built; the caller deletes it.
	 */
	int (*choose)(struct source_wish *wish, struct source **source, struct errmsg *err);
	/* Let it use the programs of first, a source of the same kind, if they are to do the same. False: no. */
	bool (*share)(struct source *source, struct source *first);
	/*
	 * Create maps and load programs; nothing is attached yet, but for what follows the target's tasks. With stand_in it is called when
	 * all descriptors are open, and a target may be opened anew after disable(): what was loaded before is let go first. Else it is called before
	 * the first descriptor is opened, without setup, and what was loaded once is kept.
	 */
	int (*load)(struct source *source, const struct source_setup *setup, struct errmsg *err);
	/* To a descriptor of the event, before it is enabled. */
	int (*attach)(struct source *source, int fd, struct errmsg *err);
	/* With stand_in: samples from now on; of a command (attr.enable_on_exec) only from its exec on. All of it or nothing. */
	int (*enable)(struct source *source, struct errmsg *err);
	/* Detach. What still sleeps comes out of the next drain, and if the source has ended what is summed. May be called at any time, and again. */
	int (*disable)(struct source *source);
	/* To be watched by epoll with EPOLLET; -1: none. It is readable when there is enough to be worth a drain. */
	int (*fd)(const struct source *source);
	/* As sampler__drain: whole records, contiguous in memory; the negative return of cb stops and is handed on. */
	int (*drain)(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes);
	/*
	 * Of samples that are counted, as tally__collect(); rows may have equal keys. Stays possible after disable(), when also what is not
	 * over yet is shown.
	 */
	int (*collect)(struct source *source, source_row_cb cb, void *data, struct errmsg *err);
	int (*tally_counts)(struct source *source, struct tally_counts *counts, struct errmsg *err);
	/* What the source's programs know; counts is all 0 before. */
	int (*counts)(struct source *source, struct sampler_counts *counts, struct errmsg *err);
	/* For -v, in a line: which engine makes or judges the samples, and why. */
	void (*explain)(const struct source *source, FILE *fp);
	void (*delete)(struct source *source);
};

struct source { /* first member of each kind */
	const struct source_ops *ops;
	struct evsel *evsel;
	struct event_filter filter;
	bool has_program; /* descriptors get a BPF program, which tasks must not inherit the event without */
	bool takes_stacks; /* that program takes the stacks: the kernel need not */
	bool ended;   /* set before the last disable */
	bool tallied; /* samples are counted, see collect: */
	struct tally_opts tally;
	struct histogram_config histogram; /* what tally.histogram points to, if it does */
	char why[200]; /* of source_wish */
};

#endif
