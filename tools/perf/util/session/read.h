/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a recording from start to end and passes on its records in the order of delivery. */
#ifndef PERF_SESSION_READ_H
#define PERF_SESSION_READ_H

#include "util/session/events.h"
#include "util/perfdata/order.h"

struct read_sink {
	/* Gets items in the order of delivery. A negative return stops reading. */
	int (*take)(const struct order_item *item, size_t nr, void *data);
	/* All records in the file's data before pos were taken; see perfdata_reader__release(). */
	void (*passed)(u64 pos, void *data);
	/* Returns when no taken item is in use any more. A negative return stops reading. NULL: items are free when take returns. */
	int (*settle)(void *data);
	void *data;
};

struct jit_maps;

/* jit: adds the maps of code made at run time; NULL: none. 0, -ENOMEM or what take returned. Reading a damaged file stops at the damage, which damage describes. */
int read_in_order(struct perfdata_reader *reader, const struct session_events *events, struct jit_maps *jit, const struct read_sink *sink,
		  struct errmsg *damage);

#endif
