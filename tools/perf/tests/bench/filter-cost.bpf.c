// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* What filter-cost.c compares filters with: nothing at all, and the same tests written by hand (no counts, no guards). */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

extern void *bpf_rdonly_cast(void *obj, __u32 btf_id) __ksym __weak;

const volatile __u32 wanted_tids[5];

static __always_inline __u32 sample_tid(struct bpf_perf_event_data *ctx)
{
	struct bpf_perf_event_data_kern *kctx;

	kctx = bpf_rdonly_cast(ctx, bpf_core_type_id_kernel(struct bpf_perf_event_data_kern));
	return kctx->data->tid_entry.tid;
}

SEC("perf_event")
int empty(struct bpf_perf_event_data *ctx)
{
	return 0;
}

SEC("perf_event")
int one_term(struct bpf_perf_event_data *ctx)
{
	return sample_tid(ctx) == wanted_tids[0];
}

SEC("perf_event")
int five_terms(struct bpf_perf_event_data *ctx)
{
	__u32 tid = sample_tid(ctx);

	return tid == wanted_tids[0] || tid == wanted_tids[1] || tid == wanted_tids[2] || tid == wanted_tids[3] ||
	       tid == wanted_tids[4];
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
