/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks some samples for cut user callchains: the kernel follows frame pointers, and in a program that was built without them it
 * mostly finds only the place of the sample. (Even main has a caller.)
 */
#ifndef PERF_RECORD_USER_STACKS_H
#define PERF_RECORD_USER_STACKS_H

#include "util/event/evsel.h"
#include "util/perfdata/record.h"

struct user_stacks {
	const struct perf_event_attr *attr; /* shared by all events with samples; NULL: they differ, or their user callchains cannot be cut */
	u64 nr_samples;
	u64 nr_stacks, nr_cut; /* of the checked samples */
};

void user_stacks__init(struct user_stacks *u, const struct evlist *evlist);

/* Check a SAMPLE record, or skip it: a few of many suffice. */
void user_stacks__look(struct user_stacks *u, const union perf_record *record);

/* Approximate percentage of cut user callchains; 0 also if too few were checked. */
unsigned int user_stacks__percent_cut(const struct user_stacks *u);

#endif
