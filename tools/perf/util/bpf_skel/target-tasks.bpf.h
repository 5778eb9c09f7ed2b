/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The marks of the target's tasks: which tasks a recording follows. target.bpf.h makes them. The mark is in the task's own storage, so it needs
 * no search, ends with the task, and cannot be mistaken for that of another task with the same pid.
 */
#ifndef PERF_BPF_TARGET_TASKS_BPF_H
#define PERF_BPF_TARGET_TASKS_BPF_H

#include "target.h"

#define PF_FORKNOEXEC 0x40 /* include/linux/sched.h: has not exec'ed since it was forked */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct target_task);
} target_tasks SEC(".maps");

/*
 * A task has ended for the recording when its perf events have: perf_event_exit_task() takes their context away. Tasks of the target
 * have one, as user space has opened dummies on them, which are inherited. Reads by a helper: see seed_of().
 */
#ifdef FILTER_OLD_KERNEL /* those from before Linux 5.17 make no CO-RE relocations */

static __always_inline bool task_has_ended(struct task_struct *task)
{
	if (READ_AT(void *, task, filter_offsets.task_events))
		return false;
	return !filter_offsets.task_more_events || !READ_AT(void *, task, filter_offsets.task_more_events);
}

#define TASK_FLAGS(task) READ_AT(__u32, task, filter_offsets.task_flags)

#else

static __always_inline bool task_has_ended(struct task_struct *task)
{
	const struct task_struct___6 *old = (const void *)task;

	if (bpf_core_field_exists(task->perf_event_ctxp))
		return !BPF_CORE_READ(task, perf_event_ctxp);
	return bpf_core_field_exists(old->perf_event_ctxp) && !BPF_CORE_READ(old, perf_event_ctxp[0]) && !BPF_CORE_READ(old, perf_event_ctxp[1]);
}

#define TASK_FLAGS(task) ((task)->flags)

#endif

/*
 * A command is recorded from its exec on. The kernel enables its events right after it clears that flag; the tracepoint
 * sched_process_exec would be too late, after the program is loaded.
 */
static __always_inline bool target_tasks__has(struct task_struct *task, bool has_events)
{
	struct target_task *mark = bpf_task_storage_get(&target_tasks, task, 0, 0);

	if (!mark || (has_events && task_has_ended(task)))
		return false;
	if (mark->waits_for_exec) {
		if (TASK_FLAGS(task) & PF_FORKNOEXEC)
			return false;
		mark->waits_for_exec = 0;
	}
	return true;
}

#endif
