/* SPDX-License-Identifier: GPL-2.0 */
/* Debug files from a server, by build-id: see debuginfod(8). */
#ifndef PERF_SYMBOL_DEBUGINFOD_H
#define PERF_SYMBOL_DEBUGINFOD_H

#include "util/perfdata/features.h" /* struct build_id */

/*
 * Fetch the debug file of the object with that build-id from the servers in $DEBUGINFOD_URLS, or from the cache of earlier
 * downloads. 0 with its path in *path (malloc'ed); -ENOENT: no server has it, or none is named; -ENOSYS: libdebuginfod is not
 * installed, or the servers have taken too long for nothing, which the log tells; -ENOMEM.
 */
int debuginfod__find(const struct build_id *id, char **path);

#endif
