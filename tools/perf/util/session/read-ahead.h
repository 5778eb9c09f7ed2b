/* SPDX-License-Identifier: GPL-2.0 */
/* read_in_order() in a separate thread, ahead of the thread that delivers. */
#ifndef PERF_SESSION_READ_AHEAD_H
#define PERF_SESSION_READ_AHEAD_H

#include "util/session/read.h"
#include "util/session/sample-numbers.h"

struct read_ahead;

struct read_batch {
	const struct order_item *item; /* nr items */
	size_t nr;
	const struct numbered_sample *numbered; /* nr items; NULL: numbers are not used */
	bool numbers_anew; /* numbers of earlier batches are invalid */
};

static inline bool read_batch__has_number(const struct read_batch *batch, size_t i)
{
	return batch->numbered && batch->numbered[i].parts.place;
}

/*
 * Start the thread, which owns reader, jit (see read.h), numbers and damage until __end(). numbers: find the numbers of samples there;
 * NULL: do not. NULL: there is only one CPU, or the thread cannot be created.
 */
struct read_ahead *read_ahead__start(struct perfdata_reader *reader, const struct session_events *events, struct jit_maps *jit,
				     struct sample_numbers *numbers, struct errmsg *damage);

/* Get the next items, valid until the next call. false: no more. */
bool read_ahead__next(struct read_ahead *ra, struct read_batch *next);

/* Raise the initial limit on how far it reads ahead, which takes memory. May be called from any thread. */
void read_ahead__widen(struct read_ahead *ra);

/* Stop the thread, even before the end of the file. 0 or -ENOMEM. */
int read_ahead__end(struct read_ahead *ra);

#endif
