/* SPDX-License-Identifier: GPL-2.0 */
/* Data about the machine's memory in a perf.data file: nodes, blocks and caches. */
#ifndef PERF_RECORD_ENV_MEMORY_H
#define PERF_RECORD_ENV_MEMORY_H

#include "util/perfdata/features.h"

/* Collect NUMA_TOPOLOGY and MEM_TOPOLOGY; CACHE after nrcpus_avail is known. Leaves out what the system does not report. 0 or -ENOMEM. */
int env__collect_nodes(struct perfdata_features *f);
int env__collect_caches(struct perfdata_features *f);

#endif
