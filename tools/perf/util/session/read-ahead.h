/* SPDX-License-Identifier: GPL-2.0 */
/* read_in_order() in a thread of its own, some way ahead of the one that delivers. */
#ifndef PERF_SESSION_READ_AHEAD_H
#define PERF_SESSION_READ_AHEAD_H

#include "util/session/read.h"

struct read_ahead;

/* reader and damage are the other thread's until __end(). NULL: there is no second CPU, or it cannot be had. */
struct read_ahead *read_ahead__start(struct perfdata_reader *reader, const struct session_events *events, struct errmsg *damage);

/* The next items, valid until the next call. Returns how many; 0: that was all. */
size_t read_ahead__next(struct read_ahead *ra, const struct order_item **item);

/* Stop, if it was not all. 0 or -ENOMEM. */
int read_ahead__end(struct read_ahead *ra);

#endif
