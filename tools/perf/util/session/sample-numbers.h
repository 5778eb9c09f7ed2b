/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the words of samples that their numbers depend on (stacks/numbers.h), and what else their consumers count them by.
 */
#ifndef PERF_SESSION_SAMPLE_NUMBERS_H
#define PERF_SESSION_SAMPLE_NUMBERS_H

#include <stdbool.h>
#include "util/session/events.h"
#include "util/perfdata/order.h"
#include "util/stacks/numbers.h"

struct sample_numbers;

struct numbered_sample {
	struct stack_parts parts; /* place 0: the members below are not set */
	u64 period;
	u32 pid, tid, cpu;
};

/* events must outlive it; detail: the parts to tell apart; which: samples that get numbers. NULL: no memory. */
struct sample_numbers *sample_numbers__new(const struct session_events *events, enum session_detail detail, enum session_ids which);
void sample_numbers__delete(struct sample_numbers *numbers);

/* Does each well-formed sample of the event get numbers, as long as there is room for them? */
bool sample_numbers__cover(const struct sample_numbers *numbers, u32 event);

/* Set one result for each of nr items. true: numbering began anew, earlier numbers are invalid. */
bool sample_numbers__find(struct sample_numbers *numbers, const struct order_item *item, size_t nr, struct numbered_sample *result);

#endif
