/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Corrects records of samples with another event's ids and time: the program of a filter sends the right values
 * (util/bpf_skel/filter-own.bpf.h) before the kernel writes the sample.
 */
#ifndef PERF_SAMPLER_MENDS_H
#define PERF_SAMPLER_MENDS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/judge/bpf-filter.h"

struct mends;

/*
 * has_id: samples begin with their id, followed by address, pid and tid, and time. nr_samples: how many fit into the rings.
 * event_of, called with data, returns the event of an id: several may have a sample of the same page fault. NULL: no memory.
 */
struct mends *mends__new(bool has_id, size_t nr_samples, unsigned int (*event_of)(const void *data, u64 id), const void *data);
/* Add the ring of filter's program. filter must outlive m. */
int mends__add(struct mends *m, const struct bpf_filter *filter, struct errmsg *err);

/* Read what programs have sent. A correction is sent before its record is in its ring. -errno */
int mends__take(struct mends *m);

/* Are there corrections without a record so far? */
bool mends__are_left(const struct mends *m);
/* Correct record, if it is a sample of event with a correction. true: corrected. */
bool mends__apply(struct mends *m, struct perf_event_header *record, unsigned int event);
/* true for the same records, but changes nothing. */
bool mends__has(const struct mends *m, const struct perf_event_header *record, unsigned int event);

void mends__delete(struct mends *m); /* NULL is fine */

#endif
