/* SPDX-License-Identifier: GPL-2.0 */
/* What perf buildid-cache does with a build-id cache. Each returns 0; 1 if a part of the cache was left out, with a warning; or negative after a message, and has done
   what it could. */
#ifndef PERF_CMD_BUILDID_CACHE_H
#define PERF_CMD_BUILDID_CACHE_H

/* cache: its directory. file: a program or library; for purging the path that it had. */
int cache_command__add(const char *cache, const char *file);
int cache_command__update(const char *cache, const char *file); /* the copy is made anew */
int cache_command__remove(const char *cache, const char *file); /* copies with the file's build-id */
int cache_command__purge(const char *cache, const char *file); /* copies of files that had this path */
int cache_command__purge_all(const char *cache);
int cache_command__list(const char *cache);

#endif
