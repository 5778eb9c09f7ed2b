/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks that a BPF program takes begin with the frames of the program itself and of its callers: the tracepoint's glue, a
 * trampoline. Their number depends on the kernel, its unwinder and inlining, so find them by the names of their functions.
 */
#ifndef PERF_SOURCE_BPF_FRAMES_H
#define PERF_SOURCE_BPF_FRAMES_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

/* Is it one of these functions? */
bool bpf_frames__is_one(const char *name);

struct bpf_frames;

/*
 * Read the addresses of such functions from kallsyms (path NULL: /proc/kallsyms). Call it when the programs are loaded, as it must
 * find them, too. Takes some 50 ms. -EPERM: the kernel hides its addresses.
 */
int bpf_frames__new(const char *path, struct bpf_frames **frames, struct errmsg *err);

/* How many frames to skip at the beginning (the innermost) of a kernel stack. frames may be NULL: none. */
unsigned int bpf_frames__leading(const struct bpf_frames *frames, const u64 *ips, unsigned int nr);

void bpf_frames__delete(struct bpf_frames *frames); /* NULL is fine */

#endif
