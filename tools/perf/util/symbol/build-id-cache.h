/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A build-id cache, the directory that perf buildid-cache and perf record fill ($HOME/.debug). A file that was mapped as PATH and has the
 * build-id abcdef... is in PATH/abcdef.../elf, and .build-id/ab/cdef... is a link to that directory. Of kernels there is "kallsyms" instead
 * of "elf", of the vdso "vdso". Caches of old perfs have the file itself in the directory's place.
 *
 * "kept" in a cache is a cache of its own, for files that perf does not see by their path. Who made them, as in a container, chose path and
 * build-id: under the build-id of the host's libc or kernel there may be anything. So they are no answer to the question for a build-id.
 */
#ifndef PERF_SYMBOL_BUILD_ID_CACHE_H
#define PERF_SYMBOL_BUILD_ID_CACHE_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/perfdata/features.h" /* struct build_id */

/* What the cache itself has of that build-id: a path, malloc'ed; NULL: nothing. cache may be NULL: none. */
char *build_id_cache__find(const char *cache, const struct build_id *id, const char *name);

/* The file that was kept for a process that had mapped it as path: a path, malloc'ed; NULL: none. Not for kernels and modules. */
char *build_id_cache__find_kept(const char *cache, const struct build_id *id, const char *path);

/* The same, opened: a descriptor; -ENOENT, or another error. */
int build_id_cache__open_kept(const char *cache, const struct build_id *id, const char *path);

struct build_id_copy { /* all the caller's */
	const struct build_id *id;
	const char *path; /* as it was mapped */
	int fd;		  /* of a regular file, opened for reading */
	bool is_seen;	  /* perf has opened it by that path itself: it goes into the cache, else into "kept" */
	const char *same_as; /* NULL, or the path of a copy of the same file, also seen or not: a hard link to it takes no room */
	bool is_data;	  /* no program: the build-id is made up, and the file may grow meanwhile */
	u64 max_bytes;	  /* no larger file is copied; a multiple of 1 MiB */
	void (*progress)(void *data); /* NULL, or is called after each part of the copy, many times in a second while it goes on */
	void *data;
};

/*
 * Copy a file into the cache, which is made if its parent directory exists. Its directories must belong to this user or root, as must the
 * link if the cache is one, and nobody else may write to them; new ones have mode 0700, the copy 0600, or 0700 of a program. The copy has its
 * name only when it is whole, and does not replace one. What the file has no data for (holes) is not written.
 *
 * Who wrote the file and chose its path is not trusted: the path only becomes names below the cache, and no symbolic link below the cache is
 * followed.
 * *nr_bytes: how many bytes were written, after errors, too.
 *
 * 0; -ESTALE without a text: the file cannot be read, is no longer that of the build-id, or its path cannot be used; other files may do.
 * -EFBIG with a text: the file is larger than max_bytes, or grew while it was copied; other files may do.
 * Else -errno with a text: the cache cannot be written.
 */
int build_id_cache__add(const char *cache, const struct build_id_copy *copy, u64 *nr_bytes, struct errmsg *err);

#endif
