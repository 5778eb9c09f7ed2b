/* SPDX-License-Identifier: GPL-2.0 */
/* Records come from files: check them before their fields are read. */
#ifndef PERF_EVENT_TP_CHECK_H
#define PERF_EVENT_TP_CHECK_H

#include <stdbool.h>
#include "util/lib/types.h"

struct tep_event;

/* Are all fields of the event, and the targets of its dynamic fields, within the size bytes of data? */
bool tp_check__fields(const struct tep_event *event, const void *data, u32 size);

#endif
