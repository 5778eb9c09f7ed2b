/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks at the user's part of some samples' stacks, to tell whether it is whole. Callchains: the kernel follows frame pointers, and a program
 * that was built without them mostly gives the place of the sample alone. (Even main has a caller.) Copies: a stack that was larger fills its
 * copy, which then does not reach the end of the stack.
 */
#ifndef PERF_RECORD_USER_STACKS_H
#define PERF_RECORD_USER_STACKS_H

#include "util/event/evsel.h"
#include "util/perfdata/record.h"

struct user_stacks {
	const struct perf_event_attr *attr; /* of all events that are sampled; NULL: they differ, or have no user stacks that could be longer */
	u64 nr_samples;
	u64 nr_stacks, nr_cut; /* of the checked samples */
};

void user_stacks__init(struct user_stacks *u, const struct evlist *evlist);

/* Check a SAMPLE record, or skip it: a few of many suffice. */
void user_stacks__look(struct user_stacks *u, const union perf_record *record);

/* Add what another one, of the same evlist, has found. */
void user_stacks__add(struct user_stacks *u, const struct user_stacks *other);

/* About how many of 100 user stacks are cut; 0 also where too few were seen. */
unsigned int user_stacks__percent_cut(const struct user_stacks *u);
/* How many bytes of them were to be copied; 0: samples have callchains. */
u32 user_stacks__copied_bytes(const struct user_stacks *u);

#endif
