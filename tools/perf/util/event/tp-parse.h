/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_EVENT_TP_PARSE_H
#define PERF_EVENT_TP_PARSE_H

#include "util/event/tp-expr.h"

/* Parse what follows "print fmt:". event has the fields. NULL and errno: EINVAL for what is not understood, ENOMEM. */
struct tp_print *tp_print__new(const char *text, size_t size, const struct tep_event *event, int long_size);
void tp_print__delete(struct tp_print *print);

#endif
