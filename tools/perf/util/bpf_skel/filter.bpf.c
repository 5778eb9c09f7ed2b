// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * The specialised engine: one program for one filter, with the table in its read-only data. The makefile builds variants with
 * different FILTER_SLOTS, since unused slots cost time at load (2 ms for 64) but none at run, and of what few filters need:
 * FILTER_SENDS (for tables that test files, and for events with filter_words.own), FILTER_EXPLAIN, FILTER_OLD_KERNEL.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "filter.h"
#ifdef FILTER_SENDS
#define FILTER_OWN
#endif
#ifdef FILTER_OLD_KERNEL
#include "filter-sample-old.bpf.h"
#else
#define FILTER_WALKS
#include "filter-sample.bpf.h"
#endif
#include "target-current.bpf.h"
#include "filter-untaken.bpf.h"
#include "filter-late.bpf.h"
#ifdef FILTER_EXPLAIN
#include "filter-explain.bpf.h"
#endif
#include "filter-table.bpf.h"
#ifdef FILTER_SENDS
#include "filter-send.bpf.h"
#else
#define send_undecided(ctx, counts, own, file, event)
#define write_sample(src) 1
#endif

/* By event; the loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct filter_counts);
} filter_counts SEC(".maps");

#ifdef FILTER_OLD_KERNEL
#define event_index(ctx) 0
#else
/* Number of events with this program. */
const volatile __u32 filter_nr_events = 1;

/*
 * The index of the sample's event: user space has written it into the event's attr, and inherited events have a copy. (A cookie of
 * the attachment is not inherited, and an id would need a look-up.)
 */
static __always_inline __u32 event_index(struct bpf_perf_event_data *ctx)
{
	struct bpf_perf_event_data_kern *kctx;

	if (filter_nr_events == 1)
		return 0;
	kctx = bpf_rdonly_cast(ctx, bpf_core_type_id_kernel(struct bpf_perf_event_data_kern));
	return kctx->event->attr.sig_data;
}
#endif

/* Separate, so that clang does not merge it with the counting of drops, and the verifier can remove it if it is never called. */
static __noinline int keep_undecided(struct bpf_perf_event_data *ctx, struct filter_counts *counts, struct filter_own *own,
				     struct filter_file *file, __u32 event)
{
	counts->undecided++;
	send_undecided(ctx, counts, own, file, event);
	return 1;
}

/* Returns 0 to drop the sample. Plain increments: on a CPU the kernel lets no perf_event program interrupt another. */
SEC("perf_event")
int sample_filter(struct bpf_perf_event_data *ctx)
{
	struct filter_counts *counts;
	struct filter_source src;
	struct filter_walked walked;
	struct filter_file file;
	struct filter_own own;
	__u32 event = event_index(ctx);
	bool accepts;

	if (!target__has_current())
		return 0;
	counts = bpf_map_lookup_elem(&filter_counts, &event);
	if (!counts)
		return 0;
	counts->seen++;
	filter_source__init(&src, ctx, &filter_words, counts, &file);
	counts->period += filter_source__period(&src);
	filter_counts__find_untaken(counts, ctx);
	filter_counts__find_late(counts, ctx, &filter_words, event);
	filter_source__find_own(&src, &own);
	src.event = event;
	filter_source__set_walked(&src, &walked);
	accepts = filter_table__accepts(&src);
	if (filter_source__undecided(&src)) /* user space must not judge a sample that is not written: it would be counted twice */
		return write_sample(&src) ? keep_undecided(ctx, counts, &own, &file, event) : 0;
	if (accepts)
		return write_sample(&src);
	counts->dropped++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
