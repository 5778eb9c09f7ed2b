/* SPDX-License-Identifier: GPL-2.0 */
/* read_in_order() in a thread of its own, some way ahead of the one that delivers. */
#ifndef PERF_SESSION_READ_AHEAD_H
#define PERF_SESSION_READ_AHEAD_H

#include "util/session/part-numbers.h"
#include "util/session/read.h"

struct read_ahead;

struct read_batch {
	const struct order_item *item; /* nr */
	size_t nr;
	const struct sample_parts *parts; /* as many; NULL: nobody gives them numbers */
	const u64 *hash; /* as many: callchain__hash() of those that session_event__peek() peeks into; NULL: not known */
	bool numbers_anew; /* those of earlier batches mean nothing any more */
};

/* Of item i; NULL: its parts have no numbers. */
static inline const struct sample_parts *read_batch__parts(const struct read_batch *batch, size_t i)
{
	return batch->parts && batch->parts[i].place ? &batch->parts[i] : NULL;
}

/*
 * reader, numbers and damage are the other thread's until __end(). numbers: NULL, or give them to what samples consist of there. NULL:
 * there is no second CPU, or it cannot be had.
 */
struct read_ahead *read_ahead__start(struct perfdata_reader *reader, const struct session_events *events,
				     struct part_numbers *numbers, bool with_hashes, struct errmsg *damage);

/* The next items, valid until the next call. false: that was all. */
bool read_ahead__next(struct read_ahead *ra, struct read_batch *next);

/* Let it get further ahead than at first, at the cost of memory. From any thread. */
void read_ahead__widen(struct read_ahead *ra);

/* Stop, if it was not all. 0 or -ENOMEM. */
int read_ahead__end(struct read_ahead *ra);

#endif
