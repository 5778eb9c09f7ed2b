/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_EVENT_TP_POINTER_H
#define PERF_EVENT_TP_POINTER_H

#include "util/event/tp-eval.h"
#include "util/lib/text.h"

/* Add what %p does with a value. false: the record lacks bytes. */
bool tp_pointer__print(const struct tp_record *rec, const struct tp_conversion *c, const struct tp_result *value, s64 width, struct text *out);
/* A mask of len bytes, of which nr_bits count: in hex, or as ranges */
void tp_pointer__bitmap(const struct tp_record *rec, const u8 *data, u32 len, u32 nr_bits, bool as_list, struct text *out);

#endif
