/* SPDX-License-Identifier: GPL-2.0 */
/* Sets the target of BPF programs that include target.bpf.h. */
#ifndef PERF_SOURCE_BPF_TARGET_H
#define PERF_SOURCE_BPF_TARGET_H

#include <stdbool.h>
#include "util/bpf/programs.h"
#include "util/lib/errmsg.h"
#include "util/source/target.h"

struct bpf_target {
	int fork_link_fd; /* -1: none */
};
#define BPF_TARGET_NONE { .fork_link_fd = -1 }

/* Call it before the programs are loaded. */
int bpf_target__configure(const struct sampler_target *target, struct bpf_programs *programs, struct errmsg *err);

/*
 * Call it after they are loaded: mark the target's tasks, and attach the program that follows their children. A task that has ended
 * is no error. Also marks children that have started since target->opened_at.
 */
int bpf_target__follow(struct bpf_target *t, const struct bpf_programs *programs, const struct sampler_target *target, bool waits_for_exec,
		       struct errmsg *err);
void bpf_target__unfollow(struct bpf_target *t);

/*
 * The marks of the target's tasks for programs on events of each CPU (target-current.bpf.h). All such programs of a recording share them. Order of
 * calls: new, load the programs that share them, follow once events are open on the tasks, delete.
 */
struct task_marks;

/* Loads; NULL with errno set. Of the target only what holds for each later opening is looked at: waits, inherit, opened_at. */
struct task_marks *task_marks__new(const struct sampler_target *target, struct errmsg *err);
const struct bpf_programs *task_marks__programs(const struct task_marks *marks); /* for bpf_filter__share_marks() */
int task_marks__follow(struct task_marks *marks, const struct sampler_target *target, bool waits_for_exec, struct errmsg *err);
u64 task_marks__untracked(const struct task_marks *marks); /* tasks that could not be marked: they have no samples */
/* Time for which clocks have no samples, as their timers were late; of events whose only program is target_sample */
u64 task_marks__late_ns(const struct task_marks *marks);
void task_marks__delete(struct task_marks *marks); /* NULL is fine */

#endif
