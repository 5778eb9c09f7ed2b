// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * What filter-cost.c compares filters with: nothing at all, and programs for one purpose, written by hand, which count and guard
 * what they read as filters do.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "filter.h"

extern void *bpf_rdonly_cast(void *obj, __u32 btf_id) __ksym __weak;

const volatile __u32 wanted_tids[FILTER_MAX_ENTRIES];

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct filter_counts);
} counts_by_hand SEC(".maps");

SEC("perf_event")
int empty(struct bpf_perf_event_data *ctx)
{
	return 0;
}

static __always_inline __u32 sample_tid(struct bpf_perf_event_data *ctx)
{
	struct bpf_perf_event_data_kern *kctx;
	struct perf_sample_data *data;

	kctx = bpf_rdonly_cast(ctx, bpf_core_type_id_kernel(struct bpf_perf_event_data_kern));
	data = kctx->data;
	return data->sample_flags & PERF_SAMPLE_TID ? data->tid_entry.tid : 0;
}

#define IS_1(i) (tid == wanted_tids[i])
#define IS_5(i) (IS_1(i) || IS_1((i) + 1) || IS_1((i) + 2) || IS_1((i) + 3) || IS_1((i) + 4))
#define IS_20(i) (IS_5(i) || IS_5((i) + 5) || IS_5((i) + 10) || IS_5((i) + 15))
#define IS_64(i) (IS_20(i) || IS_20((i) + 20) || IS_20((i) + 40) || IS_1((i) + 60) || IS_1((i) + 61) || IS_1((i) + 62) || \
		  IS_1((i) + 63))

#define BY_HAND(nr)							\
SEC("perf_event")							\
int by_hand##nr(struct bpf_perf_event_data *ctx)			\
{									\
	struct filter_counts *counts;					\
	__u32 zero = 0, tid;						\
									\
	counts = bpf_map_lookup_elem(&counts_by_hand, &zero);		\
	if (!counts)							\
		return 0;						\
	counts->seen++;							\
	tid = sample_tid(ctx);						\
	if (IS_##nr(0))							\
		return 1;						\
	counts->dropped++;						\
	return 0;							\
}
BY_HAND(1)
BY_HAND(5)
BY_HAND(20)
BY_HAND(64)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
