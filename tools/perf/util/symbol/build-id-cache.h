/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A build-id cache, the directory that perf buildid-cache and perf record fill ($HOME/.debug). A file that was mapped as PATH and has the
 * build-id abcdef... is in PATH/abcdef.../elf, and .build-id/ab/cdef... is a link to that directory. Of kernels there is "kallsyms" instead
 * of "elf", of the vdso "vdso". Caches of old perfs have the file itself in the directory's place.
 */
#ifndef PERF_SYMBOL_BUILD_ID_CACHE_H
#define PERF_SYMBOL_BUILD_ID_CACHE_H

#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/perfdata/features.h" /* struct build_id */

/* What the cache has of that build-id: a path, malloc'ed; NULL: nothing. cache may be NULL: none. */
char *build_id_cache__find(const char *cache, const struct build_id *id, const char *name);

/*
 * Copy a file into the cache, which is made if its parent directory exists. Its directories must belong to this user or root, as must the
 * link if the cache is one, and nobody else may write to them; new ones have mode 0700, the copy 0600, or 0700 of a program. The copy has its name only when it is whole. What the file has no data for (holes)
 * is not written.
 *
 * fd: of a regular file, opened for reading; stays the caller's. Who wrote the file and chose its path is not trusted: the path only becomes
 * names below the cache, and no symbolic link below the cache is followed.
 * *nr_bytes: how many bytes were written, after errors, too.
 *
 * 0; -ESTALE without a text: the file cannot be read, is no longer that of the build-id, or its path cannot be used; other files may do.
 * Else -errno with a text: the cache cannot be written.
 */
int build_id_cache__add(const char *cache, const struct build_id *id, const char *path, int fd, u64 *nr_bytes, struct errmsg *err);

#endif
