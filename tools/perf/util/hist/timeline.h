/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples of a recording by event and thread, in the order of time: source of profiles for viewers that show time. All of them
 * share one table of stacks; those of different commands and events are one if their frames are the same.
 */
#ifndef PERF_HIST_TIMELINE_H
#define PERF_HIST_TIMELINE_H

#include "util/hist/stack-tree.h"
#include "util/lib/hash-index.h"

#define TIMELINE_NONE UINT32_MAX

struct timeline_sample {
	u64 time;	/* ns of the recording's clock; 0: unknown */
	u64 period, nr; /* nr: of samples that it stands for */
	const struct stack_node *node; /* where its stack ends, in the tree of its event */
};

struct timeline_row { /* one event of one thread */
	u32 event;		/* index of the event in the session */
	u32 pid, tid;
	const char *comm;	/* the latest */
	struct timeline_sample *sample; /* by time, after timeline__end() */
	size_t nr, alloc;
	u64 total_period;
};

struct timeline_stack {
	u32 caller;	/* index of the stack without this frame, less than its own; TIMELINE_NONE: an outermost frame */
	u32 function;
};

struct timeline_function { /* equal names in one file are one function */
	const char *name;
	const struct dso *dso; /* NULL: unknown */
	enum stack_kind kind;
};

struct timeline_place { /* which stack ends at a node */
	const struct stack_node *node;
	u32 stack;
};

struct timeline {
	struct timeline_row *row;  /* after timeline__end(): those with the largest periods first */
	u32 nr_rows, alloc_rows;
	struct hash_index rows;	   /* until timeline__end() */
	u64 first, last; /* times of samples; both 0: unknown */

	/* after timeline__end() */
	struct timeline_stack *stack; /* without names of commands; the state of a thread is its innermost frame */
	struct timeline_function *function;
	struct timeline_place *place;
	u32 nr_stacks, nr_functions, nr_places, max_depth;
	struct hash_index places;
};

struct timeline *timeline__new(void); /* NULL: no memory */
void timeline__delete(struct timeline *timeline);

/* Add a sample. The node and comm are not copied and must outlive the timeline. 0 or -ENOMEM. */
int timeline__add(struct timeline *timeline, u32 event, const struct thread *thread, const struct stack_node *node, u64 time, u64 period,
		  u64 nr);

/* Sort, and fill in the tables of the stacks in these trees, which are sorted; call it once, after the last sample. 0 or -ENOMEM. */
int timeline__end(struct timeline *timeline, const struct stack_trees *trees);

/* The index of the sample's stack. */
u32 timeline__stack(const struct timeline *timeline, const struct timeline_sample *sample);

#endif
