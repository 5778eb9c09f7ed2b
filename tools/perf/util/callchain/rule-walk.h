/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds recorded stacks of x86-64 by the rules of util/unwind/cfi-file.h, a hundred times as fast as libdwfl, and to the same frames:
 * where no rule can tell what libdwfl would do, it says so, and libdwfl does the whole stack.
 */
#ifndef PERF_CALLCHAIN_RULE_WALK_H
#define PERF_CALLCHAIN_RULE_WALK_H

#include "util/callchain/unwind.h"
#include "util/callchain/unwind-file.h"
#include "util/perfdata/sample.h"
#include "util/bpf_skel/unwind.h"

struct rule_walk;

/* What places points to must outlive it, and so must machine. NULL: no memory. */
struct rule_walk *rule_walk__new(struct machine *machine, const struct file_places *places);
void rule_walk__delete(struct rule_walk *walk); /* NULL is fine */

void rule_walk__keep_returns(struct rule_walk *walk); /* as unwinder__keep_returns() */
void rule_walk__set_memory(struct rule_walk *walk, const struct unwind_memory *memory); /* as unwinder__set_memory() */

void rule_walk__assume_frame_pointers(struct rule_walk *walk); /* as unwinder__assume_frame_pointers() */

/*
 * The frames of a sample with registers and a stack, at most max: *ips, valid until the next call, are addresses in calls but for frames
 * that were interrupted. Returns their number; -EAGAIN: it takes libdwfl; -ENOMEM.
 */
ssize_t rule_walk__run(struct rule_walk *walk, struct thread *thread, const struct perf_sample *sample, u32 max, const u64 **ips);
/* After -EAGAIN: the frames up to there. */
u32 rule_walk__found(const struct rule_walk *walk, const u64 **ips);
/* How the last walk ended. */
enum unwind_end rule_walk__end(const struct rule_walk *walk);

#endif
