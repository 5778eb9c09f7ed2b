/* SPDX-License-Identifier: GPL-2.0 */
/* The texts of the last raw records of tracepoints, found by the records' bytes: many records of a recording are equal. Bounded. */
#ifndef PERF_EVENT_TP_MEMO_H
#define PERF_EVENT_TP_MEMO_H

#include <stddef.h>
#include "util/lib/types.h"

struct tp_memo;

struct tp_memo *tp_memo__new(void); /* NULL: no memory */
void tp_memo__delete(struct tp_memo *memo);

void tp_memo__empty(struct tp_memo *memo);

/* The text of an equal record, *len bytes and a NUL, valid until the next __put(). NULL: unknown. */
const char *tp_memo__find(const struct tp_memo *memo, const void *raw, u32 size, size_t *len);
/* Keep a copy of a record and its text. Without memory nothing is kept. */
void tp_memo__put(struct tp_memo *memo, const void *raw, u32 size, const char *text, size_t len);

#endif
