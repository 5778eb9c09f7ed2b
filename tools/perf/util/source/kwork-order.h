/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Puts runs in the order of their ends. They arrive nearly so: a CPU takes the time of an end, and then a place in the ring, between
 * which others may do both.
 */
#ifndef PERF_SOURCE_KWORK_ORDER_H
#define PERF_SOURCE_KWORK_ORDER_H

#include <stddef.h>
#include "util/source/kwork-opts.h"

struct kwork_order { /* starts zeroed */
	struct kwork_record *record;
	size_t nr, alloc;
};

int kwork_order__add(struct kwork_order *order, const void *records, size_t size); /* copies them. 0, -ENOMEM, or -EIO: they are none */
/* Give the runs that ended before this time to opts->record, and forget them. 0 or what it returned */
int kwork_order__pass(struct kwork_order *order, u64 before, const struct kwork_opts *opts, struct errmsg *err);
void kwork_order__exit(struct kwork_order *order);

#endif
