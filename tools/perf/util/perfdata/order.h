/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Puts records into time order while a file is read once.
 *
 * perf record reads the ring buffers of all CPUs in turn and then writes FINISHED_ROUND. A record that is older than one already
 * written may still come in the next round, but not in the round after that. So at the end of a round everything up to the latest
 * time of the *previous* round is final and can be delivered.
 */
#ifndef PERF_PERFDATA_ORDER_H
#define PERF_PERFDATA_ORDER_H

#include <stdbool.h>
#include "util/lib/types.h"
#include "util/perfdata/record.h"

struct order;

#define ORDER_NOT_IN_FILE UINT64_MAX

struct order_item {
	u64 time;
	u64 file_offset; /* ORDER_NOT_IN_FILE: was not recorded; such records change the machine, and are neither counted nor delivered */
	const union perf_record *record; /* not owned: points into the mapped file, if it is in there */
};

static inline bool order_item__is_sample(const struct order_item *item)
{
	return item->record->header.type == PERF_RECORD_SAMPLE;
}

/* Gets final items in time order; items with equal times in the order of the file. Valid during the call. */
typedef int (*order_cb)(const struct order_item *item, size_t nr, void *data);

struct order *order__new(void); /* NULL: no memory */
void order__delete(struct order *o);

int order__add(struct order *o, const struct order_item *item); /* 0 or -ENOMEM */

/*
 * Deliver all final items at once and remove them, whatever cb returned. 0, -ENOMEM, or a negative return of cb. final: the caller
 * will add no record that is this old or older; 0: unknown.
 */
int order__end_round(struct order *o, u64 final, order_cb cb, void *data);
u64 order__memory(const struct order *o); /* memory of its items in bytes */
int order__flush(struct order *o, order_cb cb, void *data); /* deliver everything: the end of the file */

#endif
