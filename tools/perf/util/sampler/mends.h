/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples whose ids and time are another event's, put right in the records: the program of a filter sends what they should say
 * (util/bpf_skel/filter-own.bpf.h), before the kernel writes the sample.
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
 * has_id: samples begin with their id, before address, pid and tid, and time. nr_samples: that there can be in rings at a time. event_of
 * tells, with data, which event has an id: several may have a sample of the same page fault. NULL: no memory is left.
 */
struct mends *mends__new(bool has_id, size_t nr_samples, unsigned int (*event_of)(const void *data, u64 id), const void *data);
/* What the program of filter sends. It must outlive m. */
int mends__add(struct mends *m, const struct bpf_filter *filter, struct errmsg *err);

/* Read what has been sent. What is sent for a record is there once the record is in its ring. -errno */
int mends__take(struct mends *m);

/* Are there any that no record was found for yet? */
bool mends__are_left(const struct mends *m);
/* Write into record, if it is a sample of event with something to put right, what it should say. True: it was. */
bool mends__apply(struct mends *m, struct perf_event_header *record, unsigned int event);
/* True for the same records, which stay as they are. */
bool mends__has(const struct mends *m, const struct perf_event_header *record, unsigned int event);

void mends__delete(struct mends *m); /* NULL is fine */

#endif
