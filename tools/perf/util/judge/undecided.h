/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that a filter's program kept though it should perhaps have dropped them: it could not look up which file their code is in,
 * as the memory map of the process was locked. The program sends them here as well (bpf_filter__undecided_fd()). They are judged as
 * soon as that is seen, by the map as /proc tells it then, and those that the filter rejects are taken out of the records before
 * anybody gets to see these. What cannot be told, as the process or the mapping is gone, stays.
 */
#ifndef PERF_JUDGE_UNDECIDED_H
#define PERF_JUDGE_UNDECIDED_H

#include "util/event/evsel.h"
#include "util/filter/filter.h"
#include "util/lib/errmsg.h"
#include "util/judge/bpf-filter.h"

struct undecided;

struct undecided_counts { /* of one event */
	u64 kept;    /* samples that were judged, and */
	u64 dropped; /* those that were taken out */
};

/* NULL: no memory is left. Samples are found by id, thread and time: of an evlist whose samples lack them, or have them in different
 * places, none are. */
struct undecided *undecided__new(const struct evlist *evlist);

/* Judge by table what the program of filter sends. Both must outlive u. */
int undecided__add(struct undecided *u, const struct bpf_filter *filter, const struct filter_table *table, struct errmsg *err);

/* Judge what has been sent. To be called when one of the rings is readable, as maps do not stay what they were. -errno */
int undecided__judge(struct undecided *u);

/*
 * Hand records to cb without the samples that were rejected, as runs of whole records; the return is that of cb, or -EIO for
 * what cannot be a record. The records must have been in their ring before this is called.
 */
int undecided__sift(struct undecided *u, const void *records, size_t size, int (*cb)(void *data, const void *records, size_t size),
		    void *data);

/* event: which of those that have the program of filter. 0s for a filter that was not added. */
struct undecided_counts undecided__counts(const struct undecided *u, const struct bpf_filter *filter, u32 event);

void undecided__delete(struct undecided *u); /* NULL is fine */

#endif
