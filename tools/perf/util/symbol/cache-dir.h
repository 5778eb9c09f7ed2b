/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directories of a build-id cache (build-id-cache.h). Each must belong to this user or to root, and nobody else may write to it. No
 * symbolic link below the cache is followed.
 */
#ifndef PERF_SYMBOL_CACHE_DIR_H
#define PERF_SYMBOL_CACHE_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "util/lib/errmsg.h"

#define CACHE_KEPT "kept" /* the cache of files that perf does not see by their path, within the cache */

/*
 * PATH/HEX below a cache, for a file with the absolute path that was mapped or deleted. -ESTALE: too long, or it would lead elsewhere: up,
 * or into the cache's own directory.
 */
int cache_dir__set_path(char buf[PATH_MAX], const char *path, const char *hex);

/* Are the first size bytes of part "." or ".."? */
bool cache_dir__is_up_or_here(const char *part, size_t size);

/*
 * Open the cache itself, which may be a link of this user's or root's; with make it is made if its parent exists. A descriptor; -errno:
 * -EPERM if others may write to it.
 */
int cache_dir__open(const char *cache, bool make);
/* Open a directory in another, whose descriptor is closed; with make it is made if it is missing. A descriptor, or -errno as above. */
int cache_dir__enter(int parent, const char *name, bool make);
/* Open the directory at a relative path below another, whose descriptor stays open. A descriptor, or -errno as above. */
int cache_dir__open_below(int parent, const char *path, bool make);
/*
 * What the error of one of these means for the directory at path below the cache ("": the cache itself), with a remedy: names the first one on
 * the way that is refused. Returns err.
 */
int cache_dir__explain(int err, const char *cache, const char *path, struct errmsg *errmsg);
/* Remove the directory at a relative path below another, and those above it, as long as they are empty. Cuts path up. */
void cache_dir__remove_empty(int parent, char *path);

#endif
