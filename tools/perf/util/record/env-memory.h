/* SPDX-License-Identifier: GPL-2.0 */
/* What a perf.data file says of the machine's memory: nodes, blocks and caches. */
#ifndef PERF_RECORD_ENV_MEMORY_H
#define PERF_RECORD_ENV_MEMORY_H

#include "util/perfdata/features.h"

/* NUMA_TOPOLOGY and MEM_TOPOLOGY; CACHE, after nrcpus_avail is known. 0 or -ENOMEM; what the system does not tell is left out. */
int env__collect_nodes(struct perfdata_features *f);
int env__collect_caches(struct perfdata_features *f);

#endif
