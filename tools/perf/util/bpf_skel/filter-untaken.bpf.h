/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Samples for which the kernel skipped the program, as the CPU was in bpf(2) or in another program. The kernel does not count them
 * (kernel/events/core.c, bpf_overflow_handler()). But before it checks whether a program can run, it counts the samples of this
 * event since the last tick of the CPU, so that it can throttle the event (__perf_event_account_interrupt()). When the program runs,
 * it compares that number with the one of its last run.
 *
 * Samples between the last run in a tick and the next tick are not seen, so the result is too low: of N samples in a tick one in N
 * is missing, and with one sample per tick at most, it finds none. It is never too high: what the kernel itself leaves out (late
 * timers, what exclude_* excludes, a throttled event) is not in its number either.
 *
 * So each event on a CPU must have counts of its own, as events of whole CPUs have. For events of tasks, which take turns in the
 * same counts, the result is meaningless.
 */
#ifndef PERF_BPF_FILTER_UNTAKEN_BPF_H
#define PERF_BPF_FILTER_UNTAKEN_BPF_H

#ifdef FILTER_OLD_KERNEL

#define filter_counts__find_untaken(counts, ctx) (void)(ctx)

#else

#define UNTAKEN_MOST (1 << 20) /* a larger number is invalid: the event is or was throttled, and counts anew */

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
