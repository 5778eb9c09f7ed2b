/* SPDX-License-Identifier: GPL-2.0 */
/* What filters can name of the kernel's data: arguments of tracepoints, and members of structures. */
#ifndef PERF_CMD_LIST_TYPES_H
#define PERF_CMD_LIST_TYPES_H

#include <stdbool.h>
#include "cmd/list/output.h"

/* Is the word of perf list a type, "struct sk_buff"? */
bool list_types__is_type(const char *word);
/* Write its members, as events. Their number, or -errno with a message */
int list_types__members(struct list_output *out, const char *word);

/* "struct sk_buff *skb": the arguments of a tracepoint of the kernel; malloc'ed. NULL: not known, or there are none. */
char *list_types__arguments(const char *event);

#endif
