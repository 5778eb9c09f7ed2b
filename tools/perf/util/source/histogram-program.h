/* SPDX-License-Identifier: GPL-2.0 */
/* The BPF programs that make histograms of tracepoints, loaded. This is the only user of their skeleton. */
#ifndef PERF_SOURCE_HISTOGRAM_PROGRAM_H
#define PERF_SOURCE_HISTOGRAM_PROGRAM_H

#include "util/bpf_skel/histogram.h"
#include "util/bpf_skel/tp.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/tally-table.h"
#include "util/source/target.h"
#include "util/source/tp-layout.h"

struct histogram_place { /* a tracepoint */
	enum tp_kind kind;
	struct tp_config config;
};

struct histogram_program { /* descriptors; -1: none */
	int first_fd, second_fd, fork_fd, seed_fd;    /* programs; second: where times end */
	int hits_fd, starts_fd, latency_fd, seeds_fd, bss_fd; /* maps */
	struct tally_maps maps;			      /* whoever makes a tally_table of them sets them to TALLY_MAPS_NONE */
};
#define HISTOGRAM_PROGRAM_NONE ((struct histogram_program){ -1, -1, -1, -1, -1, -1, -1, -1, -1, TALLY_MAPS_NONE })

struct histogram_program_setup {
	const struct histogram_place *first, *second; /* second NULL: no times */
	const struct filter_table *table;	 /* of hits of first; NULL: none */
	const struct tally_setup *counting;
	const struct latency_config *latency;	 /* with second */
	u32 max_starts;				 /* the same */
	const struct sampler_target *target;
};

int histogram_program__load(struct histogram_program *p, const struct histogram_program_setup *setup, struct errmsg *err);

struct histogram_program_counts {
	u64 kept, dropped; /* hits of first, by the filter */
	u64 missed;	   /* hits of both for which the kernel has not run the program */
	u64 untracked;	   /* tasks that could not be followed */
	struct latency_counts latency;
};
/* The kernel's memory for the starts whose end has not come */
u64 histogram_program__bytes(const struct histogram_program *p);
int histogram_program__counts(const struct histogram_program *p, struct histogram_program_counts *counts, struct errmsg *err);
void histogram_program__close(struct histogram_program *p);

#endif
