// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Writes the samples of perf events with user stacks that it unwinds by itself: the kernel makes the sample, this program judges it,
 * unwinds the stack, and sends it as a whole PERF_RECORD_SAMPLE. The kernel writes none. The makefile builds variants with
 * different FILTER_SLOTS, and FILTER_OLD_KERNEL, as of filter.bpf.c. Most recordings have no filter: FILTER_SLOTS 0 takes half of the
 * time to load.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "filter.h"
#ifdef FILTER_OLD_KERNEL
#include "filter-sample-old.bpf.h"
#else
#define FILTER_OWN
#define FILTER_WALKS
#include "filter-sample.bpf.h"
#endif
#include "target-current.bpf.h"
#include "filter-untaken.bpf.h"
#include "filter-late.bpf.h"
#if FILTER_SLOTS
#include "filter-table.bpf.h"
#include "filter-keeps.bpf.h"
#define keeps(src) filter_source__keeps(src, unwind_config.filtered)
#else
const volatile struct filter_words filter_words;
#define keeps(src) true
#endif
#include "sample-encode.bpf.h"
#include "unwind-unfinished.bpf.h"
#include "unwind-regs.bpf.h"

const volatile struct unwind_config unwind_config;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct filter_counts);
} filter_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* the loader sets the size */
} unwind_ring SEC(".maps");

#ifdef FILTER_OLD_KERNEL
#define own_value(src, NAME) filter_source__fetch(src, FILTER_TERM_##NAME, 0)
#else
#define own_value(src, NAME) ((src)->words->own ? own_member((src)->own, FILTER_TERM_OWN_##NAME) : filter_source__fetch(src, FILTER_TERM_##NAME, 0))
#endif

static __always_inline __u64 sample_time(struct filter_source *src)
{
#ifdef FILTER_OLD_KERNEL
	return bpf_ktime_get_ns(); /* the sample has no time yet */
#else
	return own_value(src, TIME);
#endif
}

static __always_inline __u64 event_id(struct bpf_perf_event_data *ctx)
{
	const struct bpf_perf_event_data_kern *kctx = (const void *)ctx; /* which it is, as plain memory */
	struct perf_event *event = BPF_CORE_READ(kctx, event), *parent = BPF_CORE_READ(event, parent);

	return parent ? BPF_CORE_READ(parent, id) : BPF_CORE_READ(event, id);
}

static __always_inline __u64 context_flags(struct bpf_perf_event_data *ctx)
{
#ifdef __TARGET_ARCH_x86
	barrier_var(ctx); /* as in context_mode() */
	return ctx->regs.flags;
#else
	return 0;
#endif
}

/*
 * Not inlined, and with a source of its own: unwind_samples() and the 8 levels of calls below it share 512 bytes of stack.
 */
static __noinline int misc_of(struct bpf_perf_event_data *ctx, struct filter_counts *counts)
{
	const bool is_kernel = context_mode(ctx) == FILTER_MODE_KERNEL;
	struct filter_source src;
	struct filter_file file;

	filter_source__init(&src, ctx, &filter_words, counts, &file);
	return sample_misc(filter_source__fetch(&src, FILTER_TERM_IP, 0), context_ip(ctx), context_flags(ctx), is_kernel);
}

static __noinline int put_head(__u64 *record, struct bpf_perf_event_data *ctx, struct filter_counts *counts, __u16 misc, __u64 size)
{
	struct filter_source src;
	struct sample_head head;
	struct filter_file file;
	struct filter_own own;

	filter_source__init(&src, ctx, &filter_words, counts, &file);
	filter_source__find_own(&src, &own);
	head.ip = filter_source__fetch(&src, FILTER_TERM_IP, 0);
	head.time = sample_time(&src);
	head.period = filter_source__period(&src);
	head.id = event_id(ctx);
	head.pid = own_value(&src, PID);
	head.tid = own_value(&src, TID);
	head.cpu = bpf_get_smp_processor_id();
	head.misc = misc;
	sample_head__put(record, &head, size);
	return 0;
}

/* Put the kernel's part of the stack to word[at]; returns the number of words, with the marker before it. */
static __always_inline __u32 put_kernel(struct unwind_state *s, struct bpf_perf_event_data *ctx, __u32 at)
{
	long size;

	if (unwind_config.no_kernel || context_mode(ctx) != FILTER_MODE_KERNEL)
		return 0;
	size = bpf_get_stack(ctx, &s->word[at + 1], unwind_config.max_kernel * sizeof(__u64), 0);
	if (size <= 0)
		return 0;
	s->word[at] = PERF_CONTEXT_KERNEL;
	return 1 + size / sizeof(__u64);
}

static __always_inline __u32 put_user(struct unwind_state *s, struct bpf_perf_event_data *ctx, struct unwind_counts *counts, __u32 at)
{
	__u32 nr;

	if (unwind_config.no_user)
		return 0;
	nr = unwind__take(s, counts, user_regs(ctx), at + 1, unwind_config.max_frames);
	s->word[at % UNWIND_STATE_WORDS] = PERF_CONTEXT_USER;
	return nr ? nr + 1 : 0;
}

/*
 * Where an interpreter was interrupted, or the copy of an instruction that has a probe, the sample is at that frame, too: first is the
 * innermost one's place in the record, ip its own.
 */
static __always_inline void put_ip(struct unwind_state *s, __u32 first)
{
	const __u32 ip = sample_layout__has(PERF_SAMPLE_IDENTIFIER) ? 2 : 1;

	if (!sample_layout__has(PERF_SAMPLE_IP) || !s->nr)
		return;
	if (s->word[first] - INTERP_BASE < INTERP_MAX_BYTES || s->word[ip] != unwind_returns__original(&s->returns, s->word[ip]))
		s->word[ip] = s->word[first];
}

#define TURNS 64
static __always_inline __u64 wake_flags(struct unwind_counts *counts)
{
	if (unwind_config.wake_each)
		return BPF_RB_FORCE_WAKEUP;
	if (++counts->turn % TURNS || bpf_ringbuf_query(&unwind_ring, BPF_RB_AVAIL_DATA) < unwind_config.wake_at)
		return BPF_RB_NO_WAKEUP;
	return BPF_RB_FORCE_WAKEUP;
}

static __always_inline void send(struct unwind_state *s, struct unwind_counts *counts, struct bpf_perf_event_data *ctx, struct filter_counts *filter)
{
	const __u32 chain = sample_head__words(); /* where the number of entries is */
	const __u16 misc = misc_of(ctx, filter);
	__u32 nr = 0;
	__u64 size;

	s->end = UNWIND_COMPLETE; /* nothing to finish */
	s->nr = 0;
	if (!sample_misc__is_guest(misc)) { /* otherwise both stacks are of who runs the guest */
		nr = put_kernel(s, ctx, chain + 1);
		nr += put_user(s, ctx, counts, chain + 1 + nr);
	}
	s->word[chain] = nr;
	size = (chain + 1 + nr) * sizeof(__u64);
	put_head(s->word, ctx, filter, misc, size);
	if (nr && context_mode(ctx) == FILTER_MODE_USER)
		put_ip(s, chain + 2);
	if (unwind_send_unfinished(s, counts, &unwind_ring, s->word, size, chain))
		return;
	barrier_var(size); /* else clang checks what the size is computed from, which the verifier does not understand */
	if (size > sizeof(s->word) || bpf_ringbuf_output(&unwind_ring, s->word, size, wake_flags(counts)))
		counts->lost++;
}

static __noinline bool accepts(struct bpf_perf_event_data *ctx, struct filter_counts *counts)
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
	return keeps(&src);
}

/* Returns 0: the kernel writes nothing. */
SEC("perf_event")
int unwind_samples(struct bpf_perf_event_data *ctx)
{
	struct unwind_counts *unwound;
	struct filter_counts *counts;
	struct unwind_state *s;
	__u32 zero = 0;

	if (!target__has_current())
		return 0;
	counts = bpf_map_lookup_elem(&filter_counts, &zero);
	unwound = bpf_map_lookup_elem(&unwind_counts, &zero);
	s = unwind_state__get();
	if (!counts || !unwound || !s)
		return 0;
	counts->seen++;
	if (accepts(ctx, counts))
		send(s, unwound, ctx, counts);
	else
		counts->dropped++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
