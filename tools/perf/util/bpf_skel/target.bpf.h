/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Is a task in the recording's target? Programs on tracepoints run for all tasks; this follows the target as inherited perf events
 * do: from the tasks that user space names (source/bpf-target.c) to their children.
 */
#ifndef PERF_BPF_TARGET_BPF_H
#define PERF_BPF_TARGET_BPF_H

#include "target-tasks.bpf.h"

const volatile struct target_config target_config;

__u64 target_untracked; /* tasks that could not be marked and so are missing */

static __always_inline bool target__has_cpu(__u32 cpu)
{
	if (!target_config.some_cpus)
		return true;
	return target_config.cpus[cpu / 64 % (TARGET_MAX_CPUS / 64)] >> (cpu % 64) & 1;
}

static __always_inline bool target__has(struct task_struct *task)
{
	return target_config.all_tasks || target_tasks__has(task, !target_config.no_events);
}

/* Is it the command of the target before its exec? */
static __always_inline bool target__waits(struct task_struct *task)
{
	struct target_task *mark;

	if (target_config.all_tasks)
		return false;
	mark = bpf_task_storage_get(&target_tasks, task, 0, 0);
	return mark && mark->waits_for_exec;
}

/* The child does not run yet. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(target_fork, struct task_struct *parent, struct task_struct *child)
{
	struct target_task mark = { 0 };

	if (target__has(parent) && !bpf_task_storage_get(&target_tasks, child, &mark, BPF_LOCAL_STORAGE_GET_F_CREATE))
		__sync_fetch_and_add(&target_untracked, 1);
	return 0;
}

#ifndef TARGET_IS_COMMAND /* user space marks that one by a descriptor of the process, which takes less time to load */

/* The tasks that user space wants to mark, by tid. The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct target_task);
} target_seeds SEC(".maps");

#define MAX_FOREBEARS 8

/*
 * The mark of a task. If the task started after the events were opened, the mark of its ancestors: it has inherited their events,
 * but target_fork was not attached yet or its parent not marked. The parent of a thread is that of its process.
 *
 * Reads by helpers: for each load whose result is a pointer to a structure the verifier searches the kernel's BTF by name, which took a third
 * of the time of loading.
 */
static __always_inline struct target_task *seed_of(struct task_struct *task)
{
	for (int i = 0; i < MAX_FOREBEARS && task; i++) {
		__u32 tid = BPF_CORE_READ(task, pid), pid = BPF_CORE_READ(task, tgid);
		struct target_task *seed = bpf_map_lookup_elem(&target_seeds, &tid);

		if (seed || BPF_CORE_READ(task, start_boottime) < target_config.opened_at)
			return seed;
		seed = bpf_map_lookup_elem(&target_seeds, &pid);
		if (seed)
			return seed;
		task = BPF_CORE_READ(task, real_parent);
	}
	return NULL;
}

/* User space runs this: before Linux 6.9 it cannot write task storage by tid. Tasks that are already marked keep their mark. */
SEC("iter/task")
int target_seed(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct target_task *seed, mark;

	if (!task)
		return 0;
	seed = seed_of(task);
	if (!seed)
		return 0;
	mark = *seed;
	if (!bpf_task_storage_get(&target_tasks, task, &mark, BPF_LOCAL_STORAGE_GET_F_CREATE))
		__sync_fetch_and_add(&target_untracked, 1);
	return 0;
}

#endif
#endif
