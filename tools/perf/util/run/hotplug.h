/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs that go offline and come back during a run. The kernel closes the events of a CPU that goes offline, without a word to whoever holds them:
 * the descriptors stay, and count nothing any more. It sends a uevent (lib/kobject_uevent.c) when a CPU has come or gone.
 */
#ifndef PERF_RUN_HOTPLUG_H
#define PERF_RUN_HOTPLUG_H

#include <stdbool.h>
#include <stddef.h>
#include "util/lib/cpumap.h"
#include "util/lib/types.h"

/* The CPU that a uevent says to be online, or offline; -1: it says neither. */
int uevent__cpu(const char *message, size_t size, bool *online);

struct hotplug {
	int fd;			/* readable when there is something to take; -1: this system tells nothing */
	struct cpumap *first;	/* CPUs that were online in the beginning */
	u64 *gone_at;		/* by first: ns of CLOCK_MONOTONIC; 0: it is online, as far as is known */
};

/* 0 or -ENOMEM. A system that tells nothing is no error. Without it fd must be -1 for hotplug__exit(). */
int hotplug__init(struct hotplug *h);
void hotplug__exit(struct hotplug *h);

enum hotplug_change {
	HOTPLUG_NONE,
	HOTPLUG_BACK, /* it was online in the beginning, and was away for some ns */
	HOTPLUG_NEW,  /* it was not */
};

/* The next change that matters; HOTPLUG_NONE: none is left. ns: 0 if unknown. Call it until then. */
enum hotplug_change hotplug__next(struct hotplug *h, int *cpu, u64 *ns);

#endif
