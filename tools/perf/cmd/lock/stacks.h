/* SPDX-License-Identifier: GPL-2.0 */
/* Whole stacks of waits, with their times: --folded and --flamegraph. */
#ifndef PERF_CMD_LOCK_STACKS_H
#define PERF_CMD_LOCK_STACKS_H

#include <stdbool.h>
#include "ui/tally/output.h"
#include "util/hist/stack-tree.h"
#include "util/record/record.h"
#include "util/session/session.h"

struct lock_stacks {
	enum folded_weight folded; /* the options */
	const char *flamegraph;	   /* path; NULL: none */
	/* Of the run */
	struct tally_output *lines; /* NULL: none are wanted */
	struct stack_trees *trees;
	struct session *live; /* of a run that is watched */
	struct record_sink sink;
	u64 nr, total; /* waits, and ns */
	struct live_functions *live_functions; /* Python's, which the recording finds */
};

struct lock_stack_place { /* of a stack; starts zeroed */
	u64 line;
	struct stack_node *node;
};

bool lock_stacks__wanted(const struct lock_stacks *s);
int lock_stacks__begin(struct lock_stacks *s, struct errmsg *err);
/*
 * For a run that is watched: the sink that its waits go to, as counted samples. Without __begin() it counts nothing, and only its session learns of
 * processes. Valid as long as s.
 */
const struct record_sink *lock_stacks__sink(struct lock_stacks *s);
/* For a file: where to count a wait that begins with this sample, and count it when it has ended. 0 or -ENOMEM */
int lock_stacks__find(struct lock_stacks *s, const struct session_sample *sample, struct lock_stack_place *place);
void lock_stacks__count(struct lock_stacks *s, const struct lock_stack_place *place, u64 nr, u64 ns);
/* Print and write all, while the session of the samples is open. 0, or -1 after a message. */
int lock_stacks__finish(struct lock_stacks *s);
void lock_stacks__exit(struct lock_stacks *s);

#endif
