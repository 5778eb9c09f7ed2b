/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of what samples consist of: of the place where one was taken, and of its callers. Samples of the same place and callers
 * differ in their thread, CPU, time and period only. Words are looked at here, by the thread that reads a file, so that the one that
 * delivers has little to do with samples that come again. Bounded: when it is full, numbers begin anew.
 */
#ifndef PERF_SESSION_PART_NUMBERS_H
#define PERF_SESSION_PART_NUMBERS_H

#include <stdbool.h>
#include "util/session/events.h"
#include "util/session/order.h"

struct part_numbers;

struct sample_parts {
	/* From 1 on, both of one event and process. place 0: none were given, and the rest is not filled in. */
	u32 place; /* mode and address */
	u32 callers; /* the callchain without its first frame */
	u32 pid, tid, cpu;
	u32 event : 23; /* index */
	u32 apart : 1; /* The callchain does not begin at the address, as some hardware has it: where it does is told by place, too. */
	u32 cpumode : 8;
	u64 ip, period;
};

/* events must outlive it. NULL: no memory. */
struct part_numbers *part_numbers__new(const struct session_events *events);
void part_numbers__delete(struct part_numbers *numbers);

/* Look at nr items, one result for each. true: the numbers of earlier calls mean nothing any more. */
bool part_numbers__find(struct part_numbers *numbers, const struct order_item *item, size_t nr, struct sample_parts *result);

#endif
