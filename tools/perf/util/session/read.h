/* SPDX-License-Identifier: GPL-2.0 */
/* A recording from its start to its end: its records in the order in which they are to be delivered. */
#ifndef PERF_SESSION_READ_H
#define PERF_SESSION_READ_H

#include "util/session/events.h"
#include "util/session/order.h"

struct read_sink {
	/* Items in the order of delivery. Negative: no more are wanted. */
	int (*take)(const struct order_item *item, size_t nr, void *data);
	/* Of what stands in the file's data before pos all was taken; see perfdata_reader__release(). */
	void (*passed)(u64 pos, void *data);
	/* Returns when nobody uses what was taken any more. Negative: no more are wanted. NULL: this is so when take returns. */
	int (*settle)(void *data);
	void *data;
};

/* 0, -ENOMEM or what take returned. A file that is damaged ends there, and damage says why. */
int read_in_order(struct perfdata_reader *reader, const struct session_events *events, const struct read_sink *sink,
		  struct errmsg *damage);

#endif
