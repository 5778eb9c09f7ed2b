/* SPDX-License-Identifier: GPL-2.0 */
/* How counts of several CPUs or threads are added up: the groups of places whose counts become one. */
#ifndef PERF_COUNTER_GROUPS_H
#define PERF_COUNTER_GROUPS_H

#include <stdbool.h>
#include "util/counter/counters.h"

struct perfdata_features;

enum counter_by {
	COUNTER_BY_NONE, /* all in one */
	COUNTER_BY_CPU,
	COUNTER_BY_CORE,
	COUNTER_BY_SOCKET,
	COUNTER_BY_DIE,
	COUNTER_BY_NODE,
	COUNTER_BY_CACHE,
	COUNTER_BY_CLUSTER,
	COUNTER_BY_THREAD,
};

struct counter_group {
	char name[64];	/* "CPU0", "S0-D0-C0", "sleep-1234"; of COUNTER_BY_NONE empty */
	int cpu;	/* of COUNTER_BY_CPU, otherwise -1 */
};

struct counter_groups {
	enum counter_by by;
	struct counter_group *group; /* in ascending order of what they stand for */
	unsigned int nr;
	unsigned int *of_place; /* the group of each place */
};

struct counter_machine { /* whose topology it is */
	const char *sys;	/* the root of its files; tests use others */
	const struct perfdata_features *recorded; /* not NULL: take what a file has, instead of sys */
};
#define COUNTER_MACHINE_HERE ((struct counter_machine){ .sys = "/sys/devices/system" })

/*
 * Put places in groups by the machine's topology. cache_level, for COUNTER_BY_CACHE: the level of caches that CPUs share; 0: the last.
 * -ENOENT: CPUs have no cache of that level, or the file has no topology.
 */
int counter_groups__init(struct counter_groups *g, enum counter_by by, unsigned int cache_level, const struct counter_place *places,
			 unsigned int nr_places, const struct counter_machine *machine, struct errmsg *err);
#define COUNTER_COMM_LEN 16
void counter_thread__comm(char comm[COUNTER_COMM_LEN], pid_t tid); /* as in /proc; "" if it has ended */

void counter_groups__exit(struct counter_groups *g);

#endif
