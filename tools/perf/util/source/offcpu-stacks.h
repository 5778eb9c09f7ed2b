/* SPDX-License-Identifier: GPL-2.0 */
/* The stacks of sleeping tasks that BPF programs sent, by hash; each is stored once and kept until the end. */
#ifndef PERF_SOURCE_OFFCPU_STACKS_H
#define PERF_SOURCE_OFFCPU_STACKS_H

#include <stddef.h>
#include "util/bpf_skel/offcpu.h"
#include "util/lib/errmsg.h"

struct offcpu_stacks;

struct offcpu_stacks *offcpu_stacks__new(void); /* NULL: no memory */

/*
 * Add a stack as received, size bytes of struct offcpu_stack, without the frames of the BPF program. -EINVAL: malformed; -ENOMEM.
 * *no_names (may be NULL) is set to a message, once, if those frames cannot be identified and so stay.
 */
int offcpu_stacks__add(struct offcpu_stacks *stacks, const void *data, size_t size, struct errmsg *no_names);

/* NULL: unknown hash */
const struct offcpu_stack *offcpu_stacks__find(const struct offcpu_stacks *stacks, __u64 hash);

size_t offcpu_stacks__nr(const struct offcpu_stacks *stacks);
size_t offcpu_stacks__bytes(const struct offcpu_stacks *stacks);
void offcpu_stacks__delete(struct offcpu_stacks *stacks); /* NULL is fine */

#endif
