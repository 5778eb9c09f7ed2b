/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event whose samples are made by BPF programs of ours instead of the kernel. In the file it is an event like others; what is
 * open for it are dummy events, which give it ids, side-band and the hang-up of its tasks. The samples are
 * complete PERF_RECORD_SAMPLEs in the layout that the evsel's attr describes, and their times are of CLOCK_MONOTONIC, which all
 * events of such a recording are set to.
 */
#ifndef PERF_SOURCE_SAMPLE_SOURCE_H
#define PERF_SOURCE_SAMPLE_SOURCE_H

#include <stdio.h>
#include "util/event/evsel.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/source/tally.h"
#include "util/source/target.h"

struct offcpu_totals;

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
	const struct offcpu_totals *off_cpu; /* of an event of off-CPU time, whose samples stand for several; else NULL. The sampler's */
};

struct sample_source_setup {
	const struct sampler_target *target; /* valid during load only */
	u64 id;		  /* that samples carry, if the attr wants one */
	size_t ring_size; /* that -m asks for in all, in bytes; 0: nothing was asked for */
};

struct sample_source; /* first member of each kind: const struct sample_source_ops *ops */

struct sample_source_ops {
	/*
	 * Create maps and load programs; nothing is attached yet, but for what follows the target's tasks. A target may be opened
	 * anew after stop(): what was loaded before is let go first.
	 */
	int (*load)(struct sample_source *source, const struct evsel *evsel, const struct sample_source_setup *setup,
		    struct errmsg *err);
	/* Attach: samples from now on; of a command (attr.enable_on_exec) only from its exec on. All of it or nothing. */
	int (*start)(struct sample_source *source, struct errmsg *err);
	/* Detach. What is still summed or sleeping comes out of the next drain. May be called at any time, and again. */
	int (*stop)(struct sample_source *source);
	/* To be watched by epoll with EPOLLET; -1: none. It is readable when there is enough to be worth a drain. */
	int (*fd)(const struct sample_source *source);
	/* As sampler__drain: whole records, contiguous in memory; the negative return of cb stops and is handed on. */
	int (*drain)(struct sample_source *source, int (*cb)(void *data, const void *records, size_t size), void *data,
		     u64 *nr_bytes);
	/*
	 * NULL, or what became of samples that are counted instead of drained: as tally__collect(). Rows may have equal keys.
	 * Stays possible after stop(), when also what is not over yet is told.
	 */
	int (*collect)(struct sample_source *source, int (*cb)(void *data, const struct tally_row *row), void *data,
		       struct errmsg *err);
	/* counts is all 0 before. */
	int (*counts)(struct sample_source *source, struct sampler_counts *counts, struct errmsg *err);
	/* NULL: with collect, what counts() says is all. */
	int (*tally_counts)(struct sample_source *source, struct tally_counts *counts, struct errmsg *err);
	/* For -v: which engine makes the samples, and why. */
	void (*dump)(const struct sample_source *source, FILE *fp);
	void (*delete)(struct sample_source *source);
};

struct sample_source {
	const struct sample_source_ops *ops;
};

#endif
