/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with the names of code that recorded processes make at run time: /tmp/perf-PID.map, by the pid and below the root that the process itself
 * sees, and jit-PID.dump, which it maps. They are written while it runs, are gone with its container, and another process may get the pid. So they
 * are held open from when they are noticed, and copied when the recording ends, with all that is in them by then.
 *
 * A recording has ids for them, made up, which say where the copy is: readers find it as they find copies of programs, by path and build-id.
 *
 * Of a container only its /tmp is held while a process of it has such code. At most 256 processes are noticed, besides those that end without a
 * file, and their files have at most 512 MiB in all. Any thread may call these.
 */
#ifndef PERF_SYNTH_JIT_FILES_H
#define PERF_SYNTH_JIT_FILES_H

#include "util/lib/errmsg.h"
#include "util/perfdata/features.h"

struct jit_files;

struct jit_files *jit_files__new(void); /* NULL: no memory */
void jit_files__delete(struct jit_files *jit);

/* The process has mapped memory with code and without a file: it may have a perf map, now or later. */
void jit_files__note_code(struct jit_files *jit, u32 pid);
/* It has mapped a jitdump as path. fd stays the caller's. */
void jit_files__note_dump(struct jit_files *jit, const char *path, int fd);

/* Replace the entries of f->build_id by the ids of the files that there are. 0 or -ENOMEM. */
int jit_files__list(struct jit_files *jit, struct perfdata_features *f);
/* Copy them to the cache. 0, or -errno with a text: the first reason why one is missing. */
int jit_files__copy(struct jit_files *jit, const char *cache, struct errmsg *err);

#endif
