// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Counts samples of perf events after a filter's table has judged them. The makefile builds variants with different FILTER_SLOTS, as
 * of filter.bpf.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "filter.h"
#ifdef FILTER_OLD_KERNEL
#include "filter-sample-old.bpf.h"
#else
#define FILTER_OWN
#ifndef USER_STACK_TABLES /* those have no room for two more functions */
#define FILTER_WALKS
#endif
#include "filter-sample.bpf.h"
#endif
#include "target-current.bpf.h"
#include "filter-untaken.bpf.h"
#include "filter-late.bpf.h"
#include "filter-table.bpf.h"
#include "filter-keeps.bpf.h"
#include "tally.bpf.h"
#include "tally-key.bpf.h"
#include "tally-values.bpf.h"
#ifdef USER_STACK_TABLES
#include "unwind-regs.bpf.h"
#define USER_STACK_REGS(ctx) user_regs(ctx)
#endif
#include "tally-stack.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct filter_counts);
} filter_counts SEC(".maps");

static __always_inline void fill_key(struct tally_key *key, struct filter_source *src)
{
	tally_key__fill(key, src);
	if (tally_config.key & TALLY_KEY_IP) {
		key->ip = filter_source__fetch(src, FILTER_TERM_IP, 0);
		key->cpumode = context_mode(src->ctx);
	}
}

/*
 * Both stacks begin at the sampled address, so they have none of this program's own frames. Samples in user mode have no kernel
 * stack; trying to take it would cost some 100 ns.
 */
static __always_inline void take_stacks(struct tally_scratch *s, struct bpf_perf_event_data *ctx)
{
	struct tally_record *r = &s->record;
	long kernel = 0, user = 0;

	if (tally_config.key & TALLY_KEY_KSTACK && context_mode(ctx) == FILTER_MODE_KERNEL)
		kernel = bpf_get_stack(ctx, r->frame, tally_config.stack_size, 0);
	if (kernel < 0)
		s->counts.lost_stacks++;
	r->key.nr_kernel = kernel < 0 ? 0 : kernel / sizeof(__u64);
	if (r->key.nr_kernel > TALLY_MAX_STACK)
		return;
	if (tally_config.key & TALLY_KEY_USTACK)
		user = user_stack(ctx, r->frame + r->key.nr_kernel, tally_config.stack_size);
	if (user < 0 && kernel >= 0)
		s->counts.lost_stacks++;
	r->key.nr_user = user < 0 ? 0 : user / sizeof(__u64);
}

static __always_inline __u64 sample_time(struct filter_source *src)
{
#ifdef FILTER_OLD_KERNEL
	return bpf_ktime_get_ns(); /* the sample has no time yet */
#else
	return filter_source__fetch(src, own_term(src->words, FILTER_TERM_TIME), 0);
#endif
}

/* What the filter says of a sample, and what is to be known of it besides */
enum { DROPPED, VALUELESS, KEPT, KEPT_OWN };

/* Fill all of the record but its stacks. Not inlined: the stack that this takes is free again when stacks are unwound, 8 calls deep. */
static __noinline int judge_and_fill(struct bpf_perf_event_data *ctx, struct filter_counts *counts, struct tally_record *record)
{
	struct filter_source src;
	struct filter_walked walked;
	struct filter_file file;
	struct filter_own own;

	filter_source__init(&src, ctx, &filter_words, counts, &file);
	filter_source__set_walked(&src, &walked);
	counts->period += filter_source__period(&src);
	filter_counts__find_untaken(counts, ctx);
	filter_counts__find_late(counts, ctx, &filter_words, 0);
	filter_source__find_own(&src, &own);
	if (!filter_source__keeps(&src, tally_config.filtered))
		return DROPPED;
	record->time = sample_time(&src);
	record->period = filter_source__fetch(&src, FILTER_TERM_PERIOD, 0);
	fill_key(&record->key, &src);
	if (!tally_values__fill(record, &src))
		return VALUELESS;
	return tally_config.both && filter_source__is_own(&src) ? KEPT_OWN : KEPT;
}

/* Returns 0 to drop the sample: also if it was counted, unless it is to be written, too. */
SEC("perf_event")
int tally_samples(struct bpf_perf_event_data *ctx)
{
	struct filter_counts *counts;
	struct tally_scratch *s;
	__u32 zero = 0;
	int verdict;

	if (!target__has_current())
		return 0;
	counts = bpf_map_lookup_elem(&filter_counts, &zero);
	s = tally_scratch__get();
	if (!counts || !s)
		return 0;
	counts->seen++;
	verdict = judge_and_fill(ctx, counts, &s->record);
	if (verdict == DROPPED) {
		counts->dropped++;
		return 0;
	}
	if (verdict == VALUELESS) /* of a histogram, whose samples are not written */
		return 0;
	take_stacks(s, ctx);
	tally__add_stack(s);
	if (!tally_config.both || verdict == KEPT_OWN)
		return tally_config.both;
	counts->unmended++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
