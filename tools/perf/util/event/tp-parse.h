/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_EVENT_TP_PARSE_H
#define PERF_EVENT_TP_PARSE_H

#include "util/event/tp-expr.h"
#include "util/event/tracepoint.h"

/*
 * Parse what follows "print fmt:". event has the fields, constant (NULL: nobody) knows the values of some names. NULL and errno: EINVAL
 * for what is not understood, ENOMEM.
 */
struct tp_print *tp_print__new(const char *text, size_t size, const struct tep_event *event, int long_size,
			       tp_constant_fn constant, void *data);
void tp_print__delete(struct tp_print *print);

#endif
