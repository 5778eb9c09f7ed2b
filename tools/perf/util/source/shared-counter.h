/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event that is counted on CPUs for all tasks, with one set of counters for all perfs of a user. The first one opens the counters
 * and offers them: a BPF map has the event, its own pid and its descriptors. Others find the map by its id and copy the descriptors
 * (pidfd_getfd(2)), and offer their copies as well. So nothing is left in a file system, and the kernel closes counters and offers
 * when the last one has ended, however it did.
 */
#ifndef PERF_SOURCE_SHARED_COUNTER_H
#define PERF_SOURCE_SHARED_COUNTER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include "util/lib/cpumap.h"
#include "util/lib/errmsg.h"
#include "util/lib/types.h"

struct shared_counter {
	const struct cpumap *cpus;
	int *fd;      /* for each of cpus: a perf event */
	int offer_fd; /* -1: none */
	bool taken;   /* from another perf */
};

/*
 * attr: enabled, not inherited. cpus: valid until the close. -errno as of perf_event_open(2), or -ENOMEM. If other perfs cannot be
 * found or reached, the counters are its own.
 */
int shared_counter__open(struct shared_counter *c, const struct perf_event_attr *attr, const struct cpumap *cpus);

/*
 * The kernel has closed the counter of a CPU that was offline: open another one, disabled, for the caller to close or to hand to __replace(), which enables
 * it in the place of the old one. -ENOENT: cpu is not one of cpus; otherwise -errno as of perf_event_open(2), or of its ioctl.
 */
int shared_counter__open_cpu(const struct shared_counter *c, const struct perf_event_attr *attr, int cpu);
int shared_counter__replace(struct shared_counter *c, const struct perf_event_attr *attr, int cpu, int fd);

void shared_counter__close(struct shared_counter *c);

#endif
