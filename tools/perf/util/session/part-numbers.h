/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Assigns numbers to the parts of samples: the place of a sample, and its callers. Samples with the same place and callers differ in
 * their thread, CPU, time and period only. The thread that reads the file compares the words here, so that the thread that delivers
 * has little work for samples that repeat. Bounded: when the tables are full, numbering starts again.
 */
#ifndef PERF_SESSION_PART_NUMBERS_H
#define PERF_SESSION_PART_NUMBERS_H

#include <stdbool.h>
#include "util/session/events.h"
#include "util/session/order.h"

struct part_numbers;

struct sample_parts {
	/*
	 * Numbers from 1 on, unique per event. Which code they are depends on the maps of the process, too, unless it is the kernel's. place 0:
	 * no numbers, and the other members are not set.
	 */
	u32 place; /* mode and address */
	u32 callers; /* callchain without its first frame, and raw data; one number, too, for samples without both */
	u32 pid, tid, cpu;
	u32 event : 22; /* index of the event */
	u32 no_chain : 1; /* it has no callchain, or nobody reads it */
	u32 apart : 1; /* the callchain does not start at the sampled address, as on some hardware: place then includes the chain's start */
	u32 kernel_callers : 1; /* the callchain has no frames but the kernel's, except perhaps the first one; or there is none */
	u32 cpumode : 7;
	u64 ip, period;
};

/*
 * events must outlive it; detail: the parts to tell apart; which: samples that get numbers. NULL: no memory.
 */
struct part_numbers *part_numbers__new(const struct session_events *events, enum session_detail detail, enum session_ids which);
void part_numbers__delete(struct part_numbers *numbers);

/* Set one result for each of nr items. true: numbering started again, earlier numbers are invalid. */
bool part_numbers__find(struct part_numbers *numbers, const struct order_item *item, size_t nr, struct sample_parts *result);

#endif
