// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * The shared engine: root loads and pins this program once, for filters that an unprivileged user writes into its table
 * (util/judge/filter-pins.h). A program serves one filter at a time; the table identifies it by its epoch.
 *
 * The user may write anything into the table, at any time; see filter-loop.bpf.h. Verdicts and counts only reveal members of the
 * user's own samples: each term is one of enum filter_term, never an offset, and terms that the sample does not carry read as 0
 * (filter-sample.bpf.h).
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "filter.h"
#define FILTER_FUNCTION __noinline
#ifdef FILTER_OLD_KERNEL
#include "filter-sample-old.bpf.h"
#define shared_filter shared_filter_o /* the name that users check: util/judge/shared-program.c */
#else
#define FILTER_OWN
#include "filter-sample.bpf.h"
#endif
#include "filter-untaken.bpf.h"
#include "filter-late.bpf.h"
#include "filter-loop.bpf.h"

/* Written by the user. The types of key and value are required: a map without them cannot be opened as a file. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct filter_shared_table);
} shared_table SEC(".maps");

/* Written only by the program. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct filter_counts);
} shared_counts SEC(".maps");

/* A filter's counts begin at 0 on each CPU: its first sample there clears those of another filter. */
static __always_inline void filter_counts__begin(struct filter_counts *counts, __u64 epoch)
{
	if (counts->epoch != epoch)
		*counts = (struct filter_counts){ .epoch = epoch };
}

SEC("perf_event")
int shared_filter(struct bpf_perf_event_data *ctx)
{
	const volatile struct filter_shared_table *table;
	struct filter_counts *counts;
	struct filter_source src;
	struct filter_file file;
	struct filter_own own;
	__u32 zero = 0;
	bool accepts;

	table = bpf_map_lookup_elem(&shared_table, &zero);
	counts = bpf_map_lookup_elem(&shared_counts, &zero);
	if (!table || !counts)
		return 0;
	filter_counts__begin(counts, table->epoch);
	counts->seen++;
#ifdef FILTER_OLD_KERNEL
	/* Passed to global functions: some kernels before 6.3 refuse uninitialised memory there, padding included. */
	__builtin_memset(&file, 0, sizeof(file));
#endif
	filter_source__init(&src, ctx, &table->words, counts, &file);
	counts->period += filter_source__period(&src);
	filter_counts__find_untaken(counts, ctx);
	filter_counts__find_late(counts, ctx, &table->words, 0);
	filter_source__find_own(&src, &own);
	accepts = filter_entries__accept(&src, table->entry);
	if (filter_source__undecided(&src)) {
		counts->undecided++;
		accepts = true;
	}
	if (!accepts)
		counts->dropped++;
	else if (filter_source__has_own_ids(&src)) /* a time that may differ because we were slow is better than a lost sample */
		return 1;
	else
		counts->unmended++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
