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
 * Call cb for each file of the cache until it returns a negative value; returns that, and cb sets err. cb may remove the file. A directory
 * below the cache that others may write to is left out: skipped gets a text that names it. No cache: no files.
 *
 * 0; 1: directories were left out; -errno with a text: the cache cannot be read, or others may write to it.
 */
int cached_files__for_each(const char *cache, int (*cb)(const struct cached_file *file, void *data), void (*skipped)(const struct errmsg *why),
			   void *data, struct errmsg *err);

/* Remove all that the cache has for it, and directories that become empty. 0, or -errno with a text. */
int cached_file__remove(const char *cache, const struct cached_file *file, struct errmsg *err);

#endif
