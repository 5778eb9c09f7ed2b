/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of mapped files that are not to be found later by their path: those of containers, which only their processes see, and deleted ones.
 * They go into a build-id cache, below "kept" (see build-id-cache.h), where readers of the recording look for that path and build-id. A thread
 * copies them from descriptors that are held for it, so that the process that mapped a file may end at once. Files without a build-id are not
 * kept, as no reader would find them, nor are memory files.
 *
 * A file has at most 512 MiB, also while it is copied; all have at most 2 GiB; and a fourth of the limit of open files may wait. The first copy
 * for which the cache cannot be written is the last one that is tried.
 */
#ifndef PERF_SYNTH_KEPT_FILES_H
#define PERF_SYNTH_KEPT_FILES_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/perfdata/features.h" /* struct build_id */

struct kept_files;

/*
 * cache: the directory, copied. all: copy also what is found by its path, to the cache itself. NULL: out of memory. There is no thread before
 * the first copy.
 */
struct kept_files *kept_files__new(const char *cache, bool all);
/* Also before kept_files__finish(): files that wait are not copied. */
void kept_files__delete(struct kept_files *kept);

/*
 * A file that a process has mapped as path. It is copied if perf sees no such file there: none, or another one (or if all are), and if the
 * cache does not have it.
 * fd: opened for reading by regular-file.h; stays the caller's. kept may be NULL: nothing is kept.
 *
 * False: too many files wait; offer it again later.
 */
bool kept_files__offer(struct kept_files *kept, int fd, const char *path, const struct build_id *id);

/* A process has mapped code as name, perhaps memory: what it makes at run time has names in files that are kept, too (jit-files.h). */
void kept_files__note_code(struct kept_files *kept, u32 pid, const char *name);
/* List the files of that kind in the header of a recording: 0 or -ENOMEM. kept may be NULL for these two. */
int kept_files__list_jit(struct kept_files *kept, struct perfdata_features *f);

/*
 * Wait until all are copied, or for ten seconds no part of any was, as from a file system that does not answer. 0; else -errno with a text for
 * the user: the first reason why files are missing. No offers any more.
 */
int kept_files__finish(struct kept_files *kept, struct errmsg *err);

#endif
