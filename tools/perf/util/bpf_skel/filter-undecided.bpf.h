/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* Samples whose file could not be looked up are sent to user space, which can look later. */
#ifndef PERF_BPF_FILTER_UNDECIDED_BPF_H
#define PERF_BPF_FILTER_UNDECIDED_BPF_H

/* What to send; user space sees to it that all the table needs is among it. 0: nothing is sent. */
const volatile __u64 filter_sends_terms;   /* bits by enum filter_term */
const volatile __u32 filter_sends_cgroups; /* by level */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, FILTER_UNDECIDED_RING);
} filter_undecided SEC(".maps");

static __noinline int send_undecided(struct bpf_perf_event_data *ctx, struct filter_counts *counts, __u32 event)
{
	struct filter_undecided *u;
	struct filter_source src;
	struct filter_file file;

	if (!filter_sends_terms)
		return 0;
	u = bpf_ringbuf_reserve(&filter_undecided, sizeof(*u), 0);
	if (!u)
		return 0;
	filter_source__init(&src, ctx, &filter_words, counts, &file);
	u->type = 0;
	u->misc = 0;
	u->size = sizeof(*u);
	u->event = event;
	u->pad = 0;
	u->sample_flags = src.flags;
#pragma unroll
	for (int term = 0; term < FILTER_TERM_FILE_DEV; term++)
		u->value[term] = filter_sends_terms & 1ULL << term ? filter_source__fetch(&src, term, 0) : 0;
#pragma unroll
	for (int level = 0; level < FILTER_SAMPLE_LEVELS; level++)
		u->cgroup_at[level] = filter_sends_cgroups & 1 << level ? bpf_get_current_ancestor_cgroup_id(level) : 0;
	bpf_ringbuf_submit(u, 0);
	return 0;
}

#endif
