/* SPDX-License-Identifier: GPL-2.0 */
/* Build-ids of mapped files, each file read once for all the processes that map it. */
#ifndef PERF_SYNTH_BUILD_IDS_H
#define PERF_SYNTH_BUILD_IDS_H

#include "util/perfdata/features.h" /* struct build_id */
#include "util/synth/proc-maps.h"

struct build_ids;

struct build_ids *build_ids__new(void); /* NULL: out of memory */
void build_ids__delete(struct build_ids *ids);

/*
 * The build-id of the file behind a map of the process whose /proc directory is dir ("/proc/1"); size 0 if it has none or may
 * not be read. Owned by ids. NULL: out of memory.
 */
const struct build_id *build_ids__get(struct build_ids *ids, const char *dir, const struct proc_map *map);

#endif
