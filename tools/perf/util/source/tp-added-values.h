/* SPDX-License-Identifier: GPL-2.0 */
/* Values of the kernel that users add to the records of a tracepoint (evsel->fields): their programs read them, its written format shows them. */
#ifndef PERF_SOURCE_TP_ADDED_VALUES_H
#define PERF_SOURCE_TP_ADDED_VALUES_H

#include "util/source/tally-values.h"

/*
 * Resolve them, and give the event's tracepoint the fields. *size: bytes of them in records, for tp_config.added. *values stays NULL if
 * there are none. filter: as for tally_values__new(). -EINVAL, -ENOMEM
 */
int tp_added_values__new(const struct evsel *evsel, const struct event_filter *filter, struct tally_values **values, u32 *size,
			 struct errmsg *err);

#endif
