/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A source makes or counts the samples of one event: by the kernel's ring, by programs that count the kernel's samples, or by
 * programs that make samples themselves. Each kind is a row of the table in sources.c; the sampler calls the functions of the row
 * and does not know the kinds.
 *
 * Order of calls: choose, share, then each time a target is opened load, attach, enable, drain ..., disable, drain, counts; delete
 * at the end. An unused function is NULL.
 *
 * Where programs make the samples (stand_in), the event is in the file like others, but only dummy events are opened for it. They
 * provide ids, side-band and the hang-up of its tasks. Its samples are complete PERF_RECORD_SAMPLEs in the layout of the evsel's
 * attr, with times of CLOCK_MONOTONIC, which all events of such a recording use.
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
#include "util/source/unwind-tables.h"

struct bpf_ring;
struct histogram_opts;
struct source;

struct source_wish { /* the request for one event */
	struct evsel *evsel;			/* choose sets the PERF_SAMPLE_* bits that its attr needs */
	struct code_lookup *code;		/* for filters that name functions and files */
	unsigned int nr_tracepoints;		/* number of tracepoint events in the recording, */
	unsigned int nr_probes;			/* and of those that are events on functions, which perf sets by itself */
	bool explain;				/* count the results of each test in the filter */
	const struct tally_opts *tally;		/* count samples; NULL: write them, or a side-band event */
	const struct histogram_opts *histogram; /* with tally: count by bucket of this; NULL: by complete keys */
	struct unwind_tables *tables;		/* a BPF program unwinds the user's stacks by them; NULL: none does */
	bool tables_by_choice;			/* nobody asks for these: leave them out where they are in the way */
	const struct bpf_programs *marks;	/* open the event on each CPU, and take samples of the tasks that these mark; NULL: do not */
	/* Set while choosing; the chosen source takes it over: */
	struct event_filter filter;
	char why[200]; /* why the kernel makes the samples although programs would be better; or "" */
	char no_tables[200]; /* why programs do not unwind stacks although the choice was ours; or "" */
};

struct source_setup {
	const struct sampler_target *target; /* valid during load only */
	u64 id;		  /* id in samples, if the attr has one */
	size_t ring_size; /* bytes of all rings that -m asks for; 0: default */
};

struct sampler_counts { /* of one evsel, over all its descriptors */
	bool filtered;		/* seen and dropped are valid */
	bool by_kernel;		/* the kernel's own filter judges, which counts nothing: written is valid */
	bool lost_known;	/* lost is valid */
	u64 written;		/* samples in the file */
	u64 seen, dropped;	/* by the BPF filter */
	u64 judged;		/* of seen: the program could not look up the code's file, as the maps were locked, but perf judged them later */
	u64 undecided;		/* of kept: perf could not judge them either */
	u64 unmended;		/* of kept: not written, because they hold another recording's values (sampler-ids.c) */
	u64 untaken;		/* samples that the kernel skipped, at least; known for events with BPF programs: sampler-untaken.c */
	u64 late;		/* samples that are missing, as the clock's timer was late */
	u64 untimed;		/* those of seen of which that is unknown */
	bool on_cpus;		/* opened on each CPU, although the target is tasks: samples are a random choice */
	u64 counted, each; /* by the event itself on tasks (ns of a clock), and what a sample stands for; each 0: see period. 0: unknown */
	u64 sampled, missed; /* of what was counted: samples stand for it; too much is missing. 0: nothing to tell */
	u64 excess;		/* or samples stand for so much more than was counted */
	u64 lost;		/* samples lost by the kernel: ring full (PERF_FORMAT_LOST, kernel 6.0 and newer) */
	u64 untracked;		/* tasks of the target that a BPF program could not follow: they have no samples */
	u64 period;		/* sum over seen; only where programs judge the kernel's samples */
	bool unwound_by_choice; /* nobody asked for what unwound has */
	u64 blind;		/* of lost: hits of a tracepoint whose arguments its program did not see */
	const struct filter_missing *missing; /* walks of the filter that led to no value; NULL: there are none. Owned by the source */
	const struct unwind_totals *unwound; /* for samples whose user stacks a program unwinds; otherwise NULL. Owned by the source */
	const void *totals; /* the struct ..._totals of the event's kind, which has more to tell; otherwise NULL. Owned by the source */
};

typedef int (*source_records_cb)(void *data, const void *records, size_t size);
typedef int (*source_row_cb)(void *data, const struct tally_row *row);

struct source_ops {
	const char *name;
	const struct event_kind *kind[2]; /* that it serves; none: events of the kernel */
	bool stand_in; /* BPF programs make the samples: the sampler opens dummies in place of the event */
	bool mended;   /* the kernel writes the samples to rings, and the sampler corrects another event's ids and times in them: sampler-ids.c */

	/*
	 * Create *source if this kind serves the wish; otherwise leave it NULL for the next rows. -EINVAL: the filter or the wish is
	 * wrong; -EOPNOTSUPP: BPF cannot do what the wish asks. After an error *source may be half-built; the caller deletes it.
	 */
	int (*choose)(struct source_wish *wish, struct source **source, struct errmsg *err);
	/* Share the programs of first, a source of the same kind, if both do the same. false: not shared. */
	bool (*share)(struct source *source, struct source *first);
	/*
	 * Create maps and load programs; attach only the programs that follow the target's tasks. With stand_in it is called after
	 * all descriptors are open, and again if a target is opened anew after disable(): it unloads the earlier programs first.
	 * Otherwise it is called before the first descriptor is opened, without an id, and keeps what is already loaded.
	 */
	int (*load)(struct source *source, const struct source_setup *setup, struct errmsg *err);
	/* Attach to a descriptor of the event before it is enabled. */
	int (*attach)(struct source *source, int fd, struct errmsg *err);
	/* With stand_in: start making samples; for a command (attr.enable_on_exec) from its exec on. All or nothing. */
	int (*enable)(struct source *source, struct errmsg *err);
	/* Optional. Of programs that take long to attach and detach: begin (after enable) or end (before disable) to make samples, all at one time. */
	void (*let_run)(struct source *source, bool on);
	/* Optional. A CPU was offline and is back: open the source's own events there again. 1: done, 0: it has none, -errno with err. */
	int (*reopen_cpu)(struct source *source, int cpu, struct errmsg *err);
	/* Detach. What still sleeps comes out of the next drain, and if the source has ended what is summed. May be called at any time, and again. */
	int (*disable)(struct source *source);
	/* A descriptor to watch by epoll with EPOLLET; -1: none. Readable when a drain is worth while. */
	int (*fd)(const struct source *source);
	/*
	 * Optional. What drain reads, while another thread may take from it what comes meanwhile: see bpf_ring__set_aside(). It stays where it
	 * is from the load to the delete. NULL: not loaded
	 */
	struct bpf_ring *(*ring)(struct source *source);
	/* As sampler__drain: passes whole records, contiguous in memory, to cb; stops at a negative return of cb and returns it. */
	int (*drain)(struct source *source, source_records_cb cb, void *data, u64 *nr_bytes);
	/*
	 * For counted samples, as tally__collect(); rows may have equal keys. Still allowed after disable(); then it includes what
	 * has not ended.
	 */
	int (*collect)(struct source *source, source_row_cb cb, void *data, struct errmsg *err);
	int (*tally_counts)(struct source *source, struct tally_counts *counts, struct errmsg *err);
	/* Fill in what the source's programs counted; counts is zeroed before. */
	int (*counts)(struct source *source, struct sampler_counts *counts, struct errmsg *err);
	/* For -v, in one line: which engine makes or judges the samples, and why. */
	void (*explain)(const struct source *source, FILE *fp);
	void (*delete)(struct source *source);
};

struct source { /* first member of each kind */
	const struct source_ops *ops;
	struct evsel *evsel;
	struct event_filter filter;
	struct filter_missing missing;
	struct unwind_tables *tables; /* from source_wish */
	bool tables_by_choice;
	/*
	 * The event is opened on each CPU, and a program takes the samples of the target's tasks, which these programs mark. On the tasks an
	 * event without samples stands in for it: it has the side-band, the count and the hang-up. NULL: the event is opened on the target.
	 */
	const struct bpf_programs *marks;
	bool has_program; /* descriptors get a BPF program, which tasks must not inherit the event without */
	bool takes_stacks; /* that program takes the stacks: the kernel need not */
	bool writes_samples; /* that program writes the samples; the kernel writes none */
	bool monotonic; /* they can have no other times than those of CLOCK_MONOTONIC, as with stand_in */
	bool ended;   /* set before the last disable */
	bool tallied; /* samples are counted, see collect: */
	struct tally_opts tally;
	struct histogram_config histogram; /* tally.histogram points here if it is set */
	struct tally_values *values; /* as tally.values; owned */
	char why[200], no_tables[200]; /* from source_wish */
};

#endif
