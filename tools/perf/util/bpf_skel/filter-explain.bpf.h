/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* For explaining a filter: counts, by event and entry, how often an entry ran and how often its condition held. */
#ifndef PERF_BPF_FILTER_EXPLAIN_BPF_H
#define PERF_BPF_FILTER_EXPLAIN_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, FILTER_SLOTS);
	__type(key, __u32);
	__type(value, struct filter_hits);
} filter_hits SEC(".maps");

static __noinline int note_entry(__u32 i, bool taken)
{
	struct filter_hits *hits = bpf_map_lookup_elem(&filter_hits, &i);

	if (hits) {
		hits->runs++;
		hits->taken += taken;
	}
	return 0;
}

#define FILTER_NOTE(src, i, taken) note_entry((src)->event * FILTER_SLOTS + (i), taken)

#endif
