/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Evaluates filters for tracepoints, by the code of their programs, for records that user space makes up; the current task is the
 * test's. The includer defines FILTER_SLOTS.
 */
#include "util/bpf_skel/vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf_skel/filter.h"
#include "util/bpf_skel/filter-tp.bpf.h"
#include "util/bpf_skel/filter-table.bpf.h"
#include "tests/bpf/filter-tp-oracle.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TP_ORACLE_SAMPLES);
	__type(key, __u32);
	__type(value, struct tp_oracle_case);
} cases SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct filter_counts);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[FILTER_RECORD_WORDS]);
} copies SEC(".maps");

/* Copy the record instead of loading from it, as from the context of a program of type tracepoint. */
const volatile bool copied;

static __always_inline const __u64 *record_of(struct tp_oracle_case *c)
{
	__u32 zero = 0;
	__u64 *copy;

	if (!copied)
		return c->record;
	copy = bpf_map_lookup_elem(&copies, &zero);
	if (copy)
		filter_record__copy(copy, &filter_words, c->record);
	return copy;
}

static long judge(__u32 i, void *ctx)
{
	struct tp_oracle_case *c = bpf_map_lookup_elem(&cases, &i);
	struct filter_source src = { .words = &filter_words };
	__u32 zero = 0;

	src.counts = bpf_map_lookup_elem(&counts, &zero);
	if (!c || !src.counts)
		return 1;
	src.record = record_of(c);
	if (!src.record)
		return 1;
	src.origin = c->record;
	src.mode = c->mode;
	for (int k = 0; k < FILTER_MAX_EVERYS; k++)
		src.counts->every[k] = c->every;
	c->accepted = filter_table__accepts(&src);
	c->judged++;
	return 0;
}

SEC("syscall")
int judge_all(void *ctx)
{
	return bpf_loop(TP_ORACLE_SAMPLES, judge, NULL, 0) == TP_ORACLE_SAMPLES;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
