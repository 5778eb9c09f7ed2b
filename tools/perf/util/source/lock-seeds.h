/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads of a target that wait for futexes when perf begins to watch, and who holds what they still wait for when it stops. Programs on
 * system calls see neither.
 */
#ifndef PERF_SOURCE_LOCK_SEEDS_H
#define PERF_SOURCE_LOCK_SEEDS_H

#include "util/bpf/programs.h"
#include "util/bpf_skel/lock-wait.h"
#include "util/lib/errmsg.h"
#include "util/source/lock-opts.h"
#include "util/source/target.h"

struct lock_seeds;

/* Loads a program. The target is used here only. -errno: threads cannot be looked at here */
int lock_seeds__new(const struct sampler_target *target, u32 max_frames, struct lock_seeds **seeds, struct errmsg *err);
void lock_seeds__delete(struct lock_seeds *s); /* NULL is fine */

/* Fill the map lock_seeds, and begin these waits. The programs on the calls are attached. 0 or -errno with err */
int lock_seeds__put(struct lock_seeds *s, const struct bpf_programs *programs, struct errmsg *err);

/* Look at the threads that wait now. -errno: nothing is known then */
int lock_seeds__look(struct lock_seeds *s, struct errmsg *err);
/* Who holds what this thread waits for, as of lock_seeds__look(); NULL: that is not known */
const struct lock_holder *lock_seeds__holder(const struct lock_seeds *s, u32 tid);
/* Of mutexes that threads wait for */
const struct lock_holder *lock_seeds__holders(const struct lock_seeds *s, u32 *nr);

#endif
