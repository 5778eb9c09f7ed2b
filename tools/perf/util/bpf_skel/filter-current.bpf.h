/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The terms about the current task, on kernels with bpf_rdonly_cast (6.2 and newer). filter-sample.bpf.h explains why not a trusted
 * pointer.
 */
#ifndef PERF_BPF_FILTER_CURRENT_BPF_H
#define PERF_BPF_FILTER_CURRENT_BPF_H

#include "filter-fetch.bpf.h"
#include "filter-words.bpf.h"

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

/* 0x80 in the lowest byte of v that is 0; the bytes above are undefined */
static __always_inline __u64 first_nul(__u64 v)
{
	const __u64 ones = 0x0101010101010101ULL;

	return (v - ones) & ~v & (ones << 7);
}

/*
 * Half of the task's command name, in a few nanoseconds where bpf_get_current_comm() takes 15 to 30. Clears the bytes after the NUL,
 * which are not part of the name. Not inlined: each slot would have two copies.
 */
FILTER_FUNCTION __u64 current_comm(bool high)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	const __u64 *words = (const __u64 *)task->comm;
	__u64 v = words[0];
	__u64 nul = first_nul(v);

	if (high) {
		if (nul)
			return 0;
		v = words[1];
		nul = first_nul(v);
	}
	if (nul)
		v &= ((nul & -nul) >> 7) - 1;
	return v;
}

FILTER_FUNCTION __u64 current_comm_matches(const volatile struct filter_words *words, __u32 index)
{
	__u64 comm[2] = { current_comm(false), current_comm(true) };

	return words && filter_glob__matches(words, index, (const char *)comm, FILTER_COMM_LEN);
}

FILTER_FUNCTION __u64 task_member(__u32 term)
{
	struct task_struct *task;

	task = bpf_rdonly_cast((void *)bpf_get_current_task(), bpf_core_type_id_kernel(struct task_struct));
	switch (term) {
#define TASK_CASE(name, shown, bit, guard, group, ...) FILTER_IF(group, TASK, case FILTER_TERM_##name: return TASK_##name;)
	FILTER_FIELDS(TASK_CASE)
	default:
		return 0;
	}
}

#endif
