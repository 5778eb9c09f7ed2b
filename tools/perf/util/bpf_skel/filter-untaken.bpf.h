/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Samples for which the kernel did not run the program, as the CPU was in bpf(2) or in another program. The kernel does not count them
 * (kernel/events/core.c, bpf_overflow_handler()). But for each sample, and before it looks whether a program can run, it counts how many
 * there were of this event since the last tick of the CPU, so that it can throttle the event (__perf_event_account_interrupt()). When a
 * program runs it finds there how many samples have gone by since it ran last.
 *
 * What is between the last run in a tick and the next tick is not seen, so this finds too few: of N samples in a tick one in N is missing,
 * and where a tick has one sample at most, it finds none. It never finds too many: what the kernel itself leaves out (late timers, what
 * exclude_* excludes, a throttled event) is not in its number either.
 *
 * So each event on a CPU must have counts of its own, as events of whole CPUs have. Of events of tasks, which take turns in the same counts,
 * the result means nothing.
 */
#ifndef PERF_BPF_FILTER_UNTAKEN_BPF_H
#define PERF_BPF_FILTER_UNTAKEN_BPF_H

#ifdef FILTER_OLD_KERNEL

#define filter_counts__find_untaken(counts, ctx) (void)(ctx)

#else

#define UNTAKEN_MOST (1 << 20) /* more is no number of samples: the event is throttled, or was, and counts anew */

static __always_inline void filter_counts__find_untaken(struct filter_counts *counts, struct bpf_perf_event_data *ctx)
{
	struct bpf_perf_event_data_kern *kctx = bpf_rdonly_cast(ctx, bpf_core_type_id_kernel(struct bpf_perf_event_data_kern));
	struct perf_event *event = kctx->event;
	__u64 nr = event->hw.interrupts, tick = event->hw.interrupts_seq, gone;

	gone = nr - 1; /* the first sample after a tick sets the number to 1 */
	if (counts->last_tick == tick)
		gone -= counts->last_nr;
	counts->last_tick = tick;
	counts->last_nr = nr;
	if (gone < UNTAKEN_MOST)
		counts->untaken += gone;
}

#endif
#endif
