/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The whole stacks of threads that sleep when a recording begins. Programs that take a stack when a thread leaves its CPU come too late for
 * them, and the kernel gives them only its own part.
 */
#ifndef PERF_SOURCE_SLEEPERS_H
#define PERF_SOURCE_SLEEPERS_H

#include "util/lib/errmsg.h"
#include "util/source/target.h"
#include "util/source/thread-stacks.h"

struct sleepers;

/* Loads a program. The target is used here only. -errno: such stacks cannot be read here */
int sleepers__new(const struct sampler_target *target, struct sleepers **sleepers, struct errmsg *err);
void sleepers__delete(struct sleepers *s); /* NULL is fine */

/*
 * Call cb for each thread of the target that sleeps, and has slept while its stack was read, until it returns non-zero; returns that, or
 * -errno with err. The chain has return addresses, at most max_frames in user space. It ends after a second: *nr_left_out is raised by the
 * number of threads that are left out then, or because they ran each time.
 */
int sleepers__take(struct sleepers *s, u32 max_frames, int (*cb)(void *data, const struct thread_stack *stack), void *data, u32 *nr_left_out,
		   struct errmsg *err);

#endif
