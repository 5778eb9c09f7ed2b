/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that a filter's program kept although it perhaps should have dropped them: it could not look up the file of their code, as
 * the memory map of the process was locked. The program also sends them through a ring (bpf_filter__undecided_fd()). They are judged
 * as soon as possible, by the map in /proc at that time, and rejected ones are removed from the records before anybody else sees
 * these. A sample stays if its process or mapping is gone.
 */
#ifndef PERF_JUDGE_UNDECIDED_H
#define PERF_JUDGE_UNDECIDED_H

#include "util/event/evsel.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/judge/bpf-filter.h"

struct undecided;

struct undecided_counts { /* of one event */
	u64 kept;    /* samples that were judged and kept */
	u64 dropped; /* samples that were judged and dropped */
};

/*
 * NULL: no memory. Finds samples by id, thread and time: none, if the evlist's samples lack them, or have them at different
 * positions.
 */
struct undecided *undecided__new(const struct evlist *evlist);

/* Judge by table the samples that the program of filter sends. Both must outlive u. */
int undecided__add(struct undecided *u, const struct bpf_filter *filter, const struct filter_table *table, struct errmsg *err);

/* Judge what was sent. Call it when one of the rings is readable, before the maps change. -errno */
int undecided__judge(struct undecided *u);

/*
 * Pass records to cb without the rejected samples, as runs of whole records; returns what cb returned, or -EIO for a malformed
 * record. The records must have been in their ring before this call.
 */
int undecided__sift(struct undecided *u, const void *records, size_t size, int (*cb)(void *data, const void *records, size_t size),
		    void *data);

/* event: index among those that have the program of filter. All 0 for a filter that was not added. */
struct undecided_counts undecided__counts(const struct undecided *u, const struct bpf_filter *filter, u32 event);

void undecided__delete(struct undecided *u); /* NULL is fine */

#endif
