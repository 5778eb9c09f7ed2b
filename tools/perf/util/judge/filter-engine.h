/* SPDX-License-Identifier: GPL-2.0 */
/* The ways to get a filter table into the kernel. */
#ifndef PERF_JUDGE_FILTER_ENGINE_H
#define PERF_JUDGE_FILTER_ENGINE_H

#include <stdbool.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/judge/bpf-filter.h"

/* What an engine's load makes; for engines only. All descriptors are the filter's. */
struct bpf_filter {
	int prog_fd;
	int counts_fd;
	int hits_fd;	/* -1: entries are not counted */
	int undecided_fd; /* ring buffer, see undecided.h; -1: none */
	int mends_fd;	/* the same, see mends.h */
	int slot_fd;	/* whose lock says that the program is taken; -1: it is the filter's own */
	u64 epoch;	/* counts of other epochs are not this filter's */
	u32 nr_events;	/* it keeps apart */
};
#define BPF_FILTER_INIT \
	{ .prog_fd = -1, .counts_fd = -1, .hits_fd = -1, .undecided_fd = -1, .mends_fd = -1, .slot_fd = -1, .nr_events = 1 }

/* Close what is open (not -1) in a filter that was not handed out. */
void bpf_filter__close(struct bpf_filter *filter);

struct filter_engine {
	const char *name;
	int (*load)(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err);
	bool own_program; /* its size depends on the table */
};

/* Specialised where this process may load programs, else shared. explain: let it count entries, if it can: bpf_filter__hits(). */
const struct filter_engine *filter_engine__choose(bool explain);

#endif
