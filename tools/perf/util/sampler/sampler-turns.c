// SPDX-License-Identifier: GPL-2.0
/*
 * A clock of a CPU fires each period from the moment on at which it is enabled (kernel/events/core.c, perf_swevent_start_hrtimer()). If the
 * clocks of two CPUs fire at the same moment, they delay what runs on both. Tasks there that wake each other then keep step with the clocks:
 * one of them waits each time its clock fires, and has hardly any samples. So CPUs enable a clock one after the other.
 */
#include "util/sampler/sampler-state.h"

#include "util/lib/clock.h"

#define LONGEST_NS 1000000 /* for all turns: a recording must not begin late */

struct turns turns__of(const struct perf_event_attr *attr, unsigned int nr_cpus)
{
	struct turns turns = { .next = clock__ns(CLOCK_MONOTONIC) };
	u64 period;

	if (!attr__is_clock(attr) || !attr->sample_period || !nr_cpus)
		return turns;
	period = attr->freq ? 1000000000 / attr->sample_freq : attr->sample_period;
	turns.step = (period < LONGEST_NS ? period : LONGEST_NS) / nr_cpus;
	return turns;
}

/* It does not sleep: timers that wake a task are late by more than a step of many CPUs. */
void turns__wait(struct turns *turns)
{
	while (turns->step && clock__ns(CLOCK_MONOTONIC) < turns->next)
		;
	turns->next += turns->step;
}
