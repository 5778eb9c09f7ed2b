/* SPDX-License-Identifier: GPL-2.0 */
/* The ways to get a filter table into the kernel. */
#ifndef PERF_JUDGE_FILTER_ENGINE_H
#define PERF_JUDGE_FILTER_ENGINE_H

#include <stdbool.h>
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/judge/bpf-filter.h"

/* The result of an engine's load, for engines only. The filter owns all descriptors. */
struct bpf_filter {
	int prog_fd;
	int counts_fd;
	int hits_fd;	/* -1: entries are not counted */
	int undecided_fd; /* ring buffer, see undecided.h; -1: none */
	int mends_fd;	/* the same, see mends.h */
	int slot_fd;	/* its lock marks the program as used; -1: the filter owns the program */
	u64 epoch;	/* counts of other epochs belong to other filters */
	u32 nr_events;	/* number of events that it counts separately */
};
#define BPF_FILTER_INIT \
	{ .prog_fd = -1, .counts_fd = -1, .hits_fd = -1, .undecided_fd = -1, .mends_fd = -1, .slot_fd = -1, .nr_events = 1 }

/* Close all descriptors (not -1) of a filter that was not returned to a caller. */
void bpf_filter__close(struct bpf_filter *filter);

struct filter_engine {
	const char *name;
	/* marks: as in struct event_filter; NULL for an engine without own_program */
	int (*load)(const struct filter_table *table, u32 nr_events, const struct bpf_programs *marks, struct bpf_filter **filter,
		    struct errmsg *err);
	bool own_program; /* the program is made for the table */
};

/*
 * Choose the specialised engine if this process may load programs, otherwise the shared one. explain: count entries if the engine
 * can: bpf_filter__hits().
 */
const struct filter_engine *filter_engine__choose(bool explain);

#endif
