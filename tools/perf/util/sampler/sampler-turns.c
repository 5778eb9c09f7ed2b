// SPDX-License-Identifier: GPL-2.0
/*
 * A clock of a CPU fires each period from the moment on at which it is enabled (kernel/events/core.c, perf_swevent_start_hrtimer()). If the
 * clocks of two CPUs fire at the same moment, they delay what runs on both. Tasks there that wake each other then keep step with the clocks:
 * one of them waits each time its clock fires, and has hardly any samples. So CPUs enable a clock one after the other.
 */
#include "util/sampler/sampler-state.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include "util/lib/clock.h"

#define LONGEST_NS 1000000 /* for all turns: a recording must not begin late */

struct turns turns__of(const struct perf_event_attr *attr, unsigned int nr_cpus)
{
	const u64 period = clock__timer_ns(attr);
	struct turns turns = { .next = clock__ns(CLOCK_MONOTONIC) };

	if (nr_cpus)
		turns.step = (period < LONGEST_NS ? period : LONGEST_NS) / nr_cpus;
	return turns;
}

/* Do not sleep: a timer wakes a task up to 50 us late, which is more than a step on a machine with many CPUs. */
void turns__wait(struct turns *turns)
{
	while (turns->step && clock__ns(CLOCK_MONOTONIC) < turns->next)
		;
	turns->next += turns->step;
}

int switch_in_turns(const struct perf_event_attr *attr, const int *fd, unsigned int nr, bool on_cpus, unsigned long request)
{
	struct turns turns = turns__of(attr, on_cpus && request == PERF_EVENT_IOC_ENABLE ? nr : 0);
	int ret = 0;

	for (unsigned int i = 0; i < nr; i++) {
		turns__wait(&turns);
		if (fd[i] >= 0 && ioctl(fd[i], request, 0) && !ret)
			ret = -errno;
	}
	return ret;
}
