/* SPDX-License-Identifier: GPL-2.0 */
/* The stacks of sleeping tasks that BPF programs sent, by hash; each is stored once and kept until the end. */
#ifndef PERF_SOURCE_OFFCPU_STACKS_H
#define PERF_SOURCE_OFFCPU_STACKS_H

#include <stddef.h>
#include "util/bpf_skel/offcpu.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/source/unwind-finish.h"

struct offcpu_stacks;

static inline unsigned int offcpu_stack__nr_user(const struct offcpu_stack *stack)
{
	return stack->nr - stack->nr_kernel;
}

struct offcpu_stacks *offcpu_stacks__new(void); /* NULL: no memory */

/*
 * Add a stack as received, size bytes of struct offcpu_stack, without the frames of the BPF program. -EINVAL: malformed; -ENOMEM.
 * finished: how it was finished in user space; NULL: it was not. *no_names (may be NULL) is set to a message, once, if those frames cannot be identified and so stay.
 */
int offcpu_stacks__add(struct offcpu_stacks *stacks, const void *data, size_t size, const struct unwind_ends *finished, struct errmsg *no_names);

/* Add a stack that has no frames of BPF programs, as user space has read it. Costs no look at their names. */
int offcpu_stacks__add_read(struct offcpu_stacks *stacks, const struct offcpu_stack *stack);

/* For each stack that was finished in user space: its hash, and how it ended in BPF and then */
void offcpu_stacks__for_each_finished(const struct offcpu_stacks *stacks, void (*cb)(void *data, u64 hash, const struct unwind_ends *ends), void *data);

/* NULL: unknown hash */
const struct offcpu_stack *offcpu_stacks__find(const struct offcpu_stacks *stacks, __u64 hash);

/* The hash of the first stack with the same frames: itself, unless programs and user space have finished one each. */
__u64 offcpu_stacks__first(const struct offcpu_stacks *stacks, __u64 hash);

size_t offcpu_stacks__nr(const struct offcpu_stacks *stacks); /* different ones */
size_t offcpu_stacks__bytes(const struct offcpu_stacks *stacks);
void offcpu_stacks__delete(struct offcpu_stacks *stacks); /* NULL is fine */

#endif
