/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The same as snapshot.h without BPF, as far as ptrace(2) allows: /proc tells of a task that sleeps its system call, stack pointer and
 * instruction, but neither other registers nor the kernel's stack.
 */
#ifndef PERF_SOURCE_SNAPSHOT_PROC_H
#define PERF_SOURCE_SNAPSHOT_PROC_H

#include "util/bpf_skel/snapshot.h"
#include "util/source/target.h"

struct snapshot_proc;

/* proc: NULL is /proc. The target is copied; of the whole system those tasks count that may be looked at. NULL: no memory */
struct snapshot_proc *snapshot_proc__new(const struct sampler_target *target, const char *proc);
void snapshot_proc__delete(struct snapshot_proc *p); /* NULL is fine */

/* As snapshot__list() and snapshot__look(). */
int snapshot_proc__list(struct snapshot_proc *p, int (*cb)(void *data, const struct snapshot_task *task), void *data);
int snapshot_proc__look(struct snapshot_proc *p, pid_t tid, struct snapshot_task *task);

#endif
