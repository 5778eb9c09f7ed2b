/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What all programs on tracepoints share: whether a hit belongs to the target, and whether the filter keeps it. */
#ifndef PERF_BPF_TP_HIT_BPF_H
#define PERF_BPF_TP_HIT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "tp.h"

#define FILTER_SLOTS FILTER_MAX_ENTRIES
#define FILTER_WALKS
#include "filter-tp.bpf.h"
#include "filter-table.bpf.h"
#include "target.bpf.h"

const volatile struct tp_config tp_config;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tp_counts);
} tp_counts SEC(".maps");

/* User space sets this for all events at one time: attaching programs to functions takes long, and so does detaching. */
bool tp_running;

/* NULL: not in the target. */
static __always_inline struct tp_counts *tp__enter(struct task_struct *task)
{
	__u32 zero = 0;

	if (!tp_running || !target__has_cpu(bpf_get_smp_processor_id()) || !target__has(task))
		return NULL;
	return bpf_map_lookup_elem(&tp_counts, &zero);
}

/* Counts are per CPU, and no second hit interrupts the first one on a CPU. */
static __always_inline bool tp__count_verdict(struct tp_counts *counts, bool accepted)
{
	if (accepted && tp_config.filtered)
		counts->kept++;
	else if (!accepted)
		counts->filter.dropped++;
	return accepted;
}

/* A hit of the target that was judged before */
static __always_inline __attribute__((unused)) void tp__count_dropped(void)
{
	__u32 zero = 0;
	struct tp_counts *counts = bpf_map_lookup_elem(&tp_counts, &zero);

	if (counts)
		counts->filter.dropped++;
}

static __always_inline bool tp__accepts(struct tp_counts *counts, struct filter_source *src)
{
	return tp__count_verdict(counts, !tp_config.filtered || filter_table__accepts(src));
}

#endif
