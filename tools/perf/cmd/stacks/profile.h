/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks of all snapshots, counted: --folded and --flamegraph. */
#ifndef PERF_CMD_STACKS_PROFILE_H
#define PERF_CMD_STACKS_PROFILE_H

#include "ui/tally/output.h"
#include "util/callchain/callchain.h"
#include "util/hist/stack-tree.h"

struct stacks_profile {
	bool folded;		/* the options */
	const char *flamegraph; /* path; NULL: none */
	/* Of the run */
	struct tally_output *lines; /* NULL: none are wanted */
	struct stack_trees *trees;
	u64 nr; /* stacks */
};

int stacks_profile__begin(struct stacks_profile *p, struct errmsg *err);
/* Count a stack of this thread, whose name must outlive the profile. 0 or -ENOMEM */
int stacks_profile__add(struct stacks_profile *p, struct thread *thread, const struct callchain *chain);
/* Print and write all. 0 or -errno, with err */
int stacks_profile__finish(struct stacks_profile *p, struct errmsg *err);
void stacks_profile__exit(struct stacks_profile *p);

#endif
