/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Cgroups of the v2 hierarchy. */
#ifndef PERF_BPF_CGROUP_BPF_H
#define PERF_BPF_CGROUP_BPF_H

/* The id of the ancestor at that level, which is at most the cgroup's own; 0: the kernel is older than Linux 6.1. */
static __always_inline __u64 cgroup_id_at(struct cgroup *cgroup, __u32 level)
{
	struct cgroup *ancestor = NULL;

	bpf_core_read(&ancestor, sizeof(ancestor), &cgroup->ancestors[level & 0xff]);
	return BPF_CORE_READ(ancestor, kn, id);
}

#endif
