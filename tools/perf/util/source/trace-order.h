/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Puts calls in the order of their ends. They arrive nearly so: a CPU takes the time of an end, and then a place in the ring, between
 * which others may do both.
 */
#ifndef PERF_SOURCE_TRACE_ORDER_H
#define PERF_SOURCE_TRACE_ORDER_H

#include <stddef.h>
#include "util/source/trace-opts.h"

struct trace_order { /* starts zeroed */
	char *bytes; /* whole calls */
	size_t len, alloc;
};

int trace_order__add(struct trace_order *order, const void *calls, size_t size); /* copies them. 0 or -ENOMEM */
/*
 * Give the calls that ended before this time to opts->call, and forget them. Each call is checked: -EIO for one that is no call.
 */
int trace_order__pass(struct trace_order *order, u64 before, const struct trace_opts *opts, struct errmsg *err);
void trace_order__exit(struct trace_order *order);

#endif
