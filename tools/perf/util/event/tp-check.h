/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libtraceevent (1.7) trusts the records that it prints: it uses their lengths, indices and divisors without checking the record's
 * size. Records come from files, so check them first.
 */
#ifndef PERF_EVENT_TP_CHECK_H
#define PERF_EVENT_TP_CHECK_H

#include <stdbool.h>
#include "util/lib/types.h"

struct tep_event;
struct tp_length;

/* Are all fields of the event, and the targets of its dynamic fields, within the size bytes of data? */
bool tp_check__fields(const struct tep_event *event, const void *data, u32 size);

/*
 * Can the event's print format be evaluated for this record (whose fields were checked) without leaving it? lengths: from
 * tp_text__find_lengths().
 */
bool tp_check__print_format(const struct tep_event *event, const struct tp_length *lengths, u32 nr_lengths,
			    const void *data, u32 size);

#endif
