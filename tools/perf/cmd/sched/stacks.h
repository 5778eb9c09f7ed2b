/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks of recorded switches, each kept once. */
#ifndef PERF_CMD_SCHED_STACKS_H
#define PERF_CMD_SCHED_STACKS_H

#include "ui/sched/latency.h"
#include "util/callchain/callchain.h"

struct sched_stacks; /* NULL: there are none so far */

/* Its functions without those of switching itself, at most max. *frames is owned by *stacks, NULL without any. 0 or -ENOMEM */
int sched_stacks__find(struct sched_stacks **stacks, const struct callchain *chain, u32 max, const struct sched_frames **frames);
void sched_stacks__delete(struct sched_stacks *stacks);

#endif
