/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which threads read which rings, and where they run: the value of perf record --threads. "cpu" (or nothing), "core", "package" and
 * "numa" make a thread for each CPU, core (its hardware threads), package or NUMA node with a recorded CPU; "CPUS/CPUS:CPUS/CPUS..." a
 * thread for each pair of lists, of what it reads and where it runs.
 */
#ifndef PERF_RECORD_READER_LAYOUT_H
#define PERF_RECORD_READER_LAYOUT_H

#include <stdbool.h>
#include "util/lib/cpumap.h"
#include "util/lib/errmsg.h"

struct reader_layout { /* by thread; no CPU is in two of one kind */
	unsigned int nr;
	struct cpumap **read; /* never empty */
	struct cpumap **run;
	bool chosen;	/* by lists: a thread that may not run there is an error */
};

/*
 * Of recorded CPUs only; others in spec are ignored. topology: directory with cpu/ and node/ as in /sys/devices/system; NULL: that one.
 * -EINVAL: a wrong spec, or a list without recorded CPUs; other errors: the topology cannot be read. Free by __delete.
 */
int reader_layout__new(const char *spec, const struct cpumap *recorded, const char *topology, struct reader_layout **layout,
		       struct errmsg *err);
const char *reader_layout__name(unsigned int i); /* of the layouts that are words; NULL: no more */
void reader_layout__delete(struct reader_layout *layout); /* NULL is fine */

#endif
