/* SPDX-License-Identifier: GPL-2.0 */
/* The BPF programs that make histograms of tracepoints, loaded. This is the only user of their skeleton. */
#ifndef PERF_SOURCE_HIST_PROGRAM_H
#define PERF_SOURCE_HIST_PROGRAM_H

#include "util/bpf_skel/hist.h"
#include "util/bpf_skel/tp.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/source/count-table.h"
#include "util/source/target.h"
#include "util/source/tp-layout.h"

struct hist_place { /* a tracepoint */
	enum tp_kind kind;
	struct tp_config config;
};

struct hist_program { /* descriptors; -1: none */
	int first_fd, second_fd, fork_fd, seed_fd;    /* programs; second: where times end */
	int hits_fd, starts_fd, latency_fd, seeds_fd, bss_fd; /* maps */
	struct count_maps maps;			      /* whoever makes a count_table of them sets them to COUNT_MAPS_NONE */
};
#define HIST_PROGRAM_NONE ((struct hist_program){ -1, -1, -1, -1, -1, -1, -1, -1, -1, COUNT_MAPS_NONE })

struct hist_program_setup {
	const struct hist_place *first, *second; /* second NULL: no times */
	const struct filter_table *table;	 /* of hits of first; NULL: none */
	const struct count_setup *counting;
	const struct latency_config *latency;	 /* with second */
	u32 max_starts;				 /* the same */
	const struct sampler_target *target;
};

int hist_program__load(struct hist_program *p, const struct hist_program_setup *setup, struct errmsg *err);

struct hist_program_counts {
	u64 kept, dropped; /* hits of first, by the filter */
	u64 missed;	   /* hits of both for which the kernel has not run the program */
	u64 untracked;	   /* tasks that could not be followed */
	struct latency_counts latency;
};
/* The kernel's memory for the starts whose end has not come */
u64 hist_program__bytes(const struct hist_program *p);
int hist_program__counts(const struct hist_program *p, struct hist_program_counts *counts, struct errmsg *err);
void hist_program__close(struct hist_program *p);

#endif
