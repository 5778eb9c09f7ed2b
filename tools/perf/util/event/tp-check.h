/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libtraceevent (1.7) trusts the records that it prints: it follows their lengths, indices and divisors without a look at
 * the record's size. Records come from files, so they are checked here first.
 */
#ifndef PERF_EVENT_TP_CHECK_H
#define PERF_EVENT_TP_CHECK_H

#include <stdbool.h>
#include "util/lib/types.h"

struct tep_event;
struct tp_length;

/* Do all fields of the event, and what its dynamic fields point to, lie in the size bytes of data? */
bool tp_check__fields(const struct tep_event *event, const void *data, u32 size);

/*
 * Can the event's print format be evaluated for this record (whose fields are all right) without leaving it? lengths: what
 * tp_text__find_lengths() found in the format.
 */
bool tp_check__print_format(const struct tep_event *event, const struct tp_length *lengths, u32 nr_lengths,
			    const void *data, u32 size);

#endif
