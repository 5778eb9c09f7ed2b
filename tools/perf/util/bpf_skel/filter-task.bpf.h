/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The terms of a filter, read from a task that need not be the current one. Helpers about the current task are no use: while tasks
 * are switched, that is the task that leaves.
 */
#ifndef PERF_BPF_FILTER_TASK_BPF_H
#define PERF_BPF_FILTER_TASK_BPF_H

#include "cgroup.bpf.h"
#include "filter-fetch.bpf.h"
#include "filter-words.bpf.h"

/* Includers that judge no span of time define FILTER_NO_SPAN: their tables have neither time nor period. */
#ifdef FILTER_NO_SPAN
#define OF_SPAN(text)
#else
#define OF_SPAN(text) text
#endif

struct filter_source {
	struct task_struct *task;
	OF_SPAN(__u64 time; __u64 period;)
	__u32 cpu;
	const volatile struct filter_words *words;
	__u64 *every; /* FILTER_MAX_EVERYS counts */
};

/* Half of the command name; clears the bytes after the NUL, which are not part of the name. */
static __noinline __u64 task_comm(struct task_struct *task, bool high)
{
	const __u64 ones = 0x0101010101010101ULL;
	const __u64 *words = (const __u64 *)task->comm;
	__u64 v = words[0];
	__u64 nul = (v - ones) & ~v & (ones << 7); /* 0x80 in the lowest byte that is 0; the bytes above are undefined */

	if (high) {
		if (nul)
			return 0;
		v = words[1];
		nul = (v - ones) & ~v & (ones << 7);
	}
	if (nul)
		v &= ((nul & -nul) >> 7) - 1;
	return v;
}

static __noinline __u64 task_comm_matches(struct task_struct *task, const volatile struct filter_words *words, __u32 index)
{
	__u64 comm[2] = { task_comm(task, false), task_comm(task, true) };

	return filter_glob__matches(words, index, (const char *)comm, FILTER_COMM_LEN);
}

#define OWN_LEVEL (~0U)

/* One function for both: a light skeleton has room for 32, the programs among them. */
static __noinline __u64 task_cgroup_at(struct task_struct *task, __u32 level)
{
	struct cgroup *cgroup = task->cgroups->dfl_cgrp;

	if (level == OWN_LEVEL)
		return cgroup->kn->id;
	return level <= (__u32)cgroup->level ? cgroup_id_at(cgroup, level) : 0;
}

static __always_inline __u64 task_cgroup(struct task_struct *task)
{
	return task_cgroup_at(task, OWN_LEVEL);
}

static __noinline __u64 task_every(const volatile struct filter_words *words, __u64 *every, __u32 index)
{
	return filter_every__hit(words, index, &every[index & (FILTER_MAX_EVERYS - 1)]);
}

static __noinline __u64 task_value(struct task_struct *task, __u32 term)
{
	switch (term) {
#define TASK_CASE(name, shown, bit, guard, group, old, tracepoint, off_cpu) \
	FILTER_IF(off_cpu, TASK, case FILTER_TERM_##name: return TASK_##name;)
	FILTER_FIELDS(TASK_CASE)
	default:
		return 0;
	}
}

#define OFF_CPU_CASE(name, shown, bit, guard, group, old, tracepoint, off_cpu)			\
	FILTER_IF(off_cpu, DIRECT, case FILTER_TERM_##name: return OFF_CPU_##name;)		\
	OF_SPAN(FILTER_IF(off_cpu, SPAN, case FILTER_TERM_##name: return OFF_CPU_##name;))	\
	FILTER_IF(off_cpu, TASK, case FILTER_TERM_##name: goto task;)

/* Other terms read as 0; user space refuses them, by filter_reads. */
static __always_inline __u64 filter_source__fetch(struct filter_source *src, __u8 term, __u8 index)
{
	switch (term) {
	FILTER_FIELDS(OFF_CPU_CASE)
	task:
		return task_value(src->task, term);
	FILTER_TESTS(OFF_CPU_CASE)
	default:
		return 0;
	}
}

#define OFF_CPU_READS(name, shown, bit, guard, group, old, tracepoint, off_cpu)					\
	[FILTER_TERM_##name] = 0 FILTER_IF(off_cpu, DIRECT, + 1) FILTER_IF(off_cpu, TASK, + 1) OF_SPAN(FILTER_IF(off_cpu, SPAN, + 1)),
FILTER_READS(OFF_CPU_READS);

#endif
