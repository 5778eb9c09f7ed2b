/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of formats, in the form for filters. */
#ifndef PERF_EVENT_TP_FIELD_H
#define PERF_EVENT_TP_FIELD_H

#include <stdbool.h>
#include "util/bpf_skel/filter.h"
#include "util/lib/types.h"

/* Type of a field that holds nanoseconds, in formats of our own */
#define TP_FIELD_TIME_TYPE "nanoseconds"

struct tep_event;
struct tep_format_field;

bool tp_field__is_probe(const struct tep_event *event);
/* For tracepoint_place.copy */
u32 tp_field__copy(const struct tep_format_field *field);

struct filter_field_desc tp_field__describe(const struct tep_format_field *field);

#endif
