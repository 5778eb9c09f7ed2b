/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Samples that a clock's timer left out, as it was late. If another program ran when it fired, the kernel skipped this one, which
 * then finds nothing: the result is never too high.
 */
#ifndef PERF_BPF_FILTER_LATE_BPF_H
#define PERF_BPF_FILTER_LATE_BPF_H

#include "clock-timer.bpf.h"

#ifdef FILTER_OLD_KERNEL

static __always_inline void filter__read_timer(struct clock_timer *timer, struct bpf_perf_event_data *ctx)
{
	char *event = READ_AT(char *, ctx, filter_offsets.context_event);

	timer->due = filter_offsets.event_expires ? READ_AT(__s64, event, filter_offsets.event_expires) : 0;
	timer->period = READ_AT(__u64, event, filter_offsets.event_period);
}

#else
#define filter__read_timer(timer, ctx) clock_timer__read(timer, ctx)
#endif

/* For the seen sample of event i of the program. */
static __always_inline void filter_counts__find_late(struct filter_counts *counts, struct bpf_perf_event_data *ctx,
						     const volatile struct filter_words *words, __u32 i)
{
	struct clock_timer timer;

	if (!(words->clocks >> (i & 63) & 1))
		return;
	filter__read_timer(&timer, ctx);
	if (timer.due)
		counts->late += clock_timer__late(&timer);
	else
		counts->untimed++;
}

#endif
