/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * How late is the timer of a clock? A hypervisor takes the CPU away, or the kernel has interrupts off: the timer then fires late, by
 * any number of periods, and there is one sample for all of them (kernel/events/core.c, perf_swevent_hrtimer()). The kernel moves the
 * timer on after the program has run, so it still has the time at which it was due.
 */
#ifndef PERF_BPF_CLOCK_TIMER_BPF_H
#define PERF_BPF_CLOCK_TIMER_BPF_H

#define LEAST_TIMER_NS 10000 /* perf_swevent_hrtimer() */

struct clock_timer {
	__s64 due; /* CLOCK_MONOTONIC, in ns; 0: it cannot be read, or the event is another software event */
	__u64 period;
};

static __always_inline __u64 clock_timer__period(const struct clock_timer *timer)
{
	return timer->period < LEAST_TIMER_NS ? LEAST_TIMER_NS : timer->period;
}

/* In periods: samples that there are not */
static __always_inline __u64 clock_timer__late(const struct clock_timer *timer)
{
	const __s64 now = bpf_ktime_get_ns();

	return now > timer->due ? (now - timer->due) / clock_timer__period(timer) : 0;
}

/* Read the context as plain memory: bpf_rdonly_cast() is newer, and loads from a union only what all of its members have there. */
static __always_inline __attribute__((unused)) void clock_timer__read(struct clock_timer *timer, void *ctx)
{
	struct perf_event *event = BPF_CORE_READ((struct bpf_perf_event_data_kern *)ctx, event);

	timer->due = 0;
	if (bpf_core_field_exists(event->hw.hrtimer.node.expires))
		timer->due = BPF_CORE_READ(event, hw.hrtimer.node.expires);
	timer->period = BPF_CORE_READ(event, hw.sample_period);
}

#endif
