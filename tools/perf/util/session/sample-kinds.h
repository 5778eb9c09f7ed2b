/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of samples: those of one event and process with the same mode, address and callchain are of one kind, and have its number.
 * They differ in their thread, CPU, time and period only. Words are looked at here, by the thread that reads a file, so that the one
 * that delivers has little to do with samples that come again. Bounded: when it is full, numbers begin anew.
 *
 * Or there are kinds of places: samples of one event and process with the same mode and address are of one kind, whatever called them,
 * and callers have numbers of their own.
 */
#ifndef PERF_SESSION_SAMPLE_KINDS_H
#define PERF_SESSION_SAMPLE_KINDS_H

#include <stdbool.h>
#include "util/session/events.h"
#include "util/session/order.h"

struct sample_kinds;

struct kind_of_sample {
	u32 kind; /* from 1 on; 0: none was given, and the rest is not filled in */
	/* Kinds with the same number here differ in nothing but the address, which is the callchain's first frame, too. 0: not so */
	u32 callers;
	u32 pid, tid, cpu;
	u32 event : 24; /* index */
	u32 cpumode : 8;
	u64 ip, period;
};

/* events must outlive it. of_places: kinds are those of places, and only samples that have callers have one. NULL: no memory. */
struct sample_kinds *sample_kinds__new(const struct session_events *events, bool of_places);
void sample_kinds__delete(struct sample_kinds *kinds);

/* Look at nr items, one result for each. true: the numbers of earlier calls mean nothing any more. */
bool sample_kinds__find(struct sample_kinds *kinds, const struct order_item *item, size_t nr, struct kind_of_sample *result);

#endif
