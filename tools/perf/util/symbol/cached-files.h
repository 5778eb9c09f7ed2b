/* SPDX-License-Identifier: GPL-2.0 */
/* What is in a build-id cache (build-id-cache.h), and how to remove it. */
#ifndef PERF_SYMBOL_CACHED_FILES_H
#define PERF_SYMBOL_CACHED_FILES_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/perfdata/features.h" /* struct build_id */

struct cached_file {
	struct build_id id;
	const char *path; /* as it was mapped, "[kernel.kallsyms]", "[vdso]"; "" if not is_whole */
	bool is_kept;	  /* in the cache of files that perf does not see by their path */
	bool is_whole;	  /* false: only a link, which leads to no copy */
};

/*
 * Call cb for each file of the cache until it returns non-zero; returns that value, for which cb sets
 * err if it is negative. cb may remove the file. No cache: no files. -errno with a text: the cache cannot be read, or others may write to it.
 */
int cached_files__for_each(const char *cache, int (*cb)(const struct cached_file *file, void *data), void *data, struct errmsg *err);

/* Remove all that the cache has for it, and directories that become empty. 0, or -errno with a text. */
int cached_file__remove(const char *cache, const struct cached_file *file, struct errmsg *err);

#endif
