/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A bundle: one file with a recording and the files that its symbols are in, to be read on any machine. It is a tar archive:
 *
 *	perf.data		the recording, always first: readers of recordings find it there in place
 *	.debug/...		a build-id cache (build-id-cache.h), with "kept" in it for files that perf did not see by their paths
 *	.debug/[kernel.kallsyms]/BUILDID/kallsyms	the kernel's and its modules' symbols
 *	.debug/[vdso]/BUILDID/vdso
 *	files/PATH		files without a build-id, perf-PID.map and jit-PID.dump among them
 *
 * Nothing in it is trusted, and nothing of it is unpacked: a file is copied into an unnamed one when it is asked for.
 */
#ifndef PERF_SYMBOL_BUNDLE_H
#define PERF_SYMBOL_BUNDLE_H

#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/perfdata/features.h" /* struct build_id */

#define BUNDLE_RECORDING "perf.data"
#define BUNDLE_CACHE ".debug/"
#define BUNDLE_KEPT BUNDLE_CACHE "kept/"
#define BUNDLE_FILES "files/"

struct bundle;

/* *b is NULL if the file at path ("-": the standard input) is none, or cannot be read. What is behind damage is missing. 0 or -ENOMEM. */
int bundle__open(const char *path, struct bundle **b, struct errmsg *err);
void bundle__delete(struct bundle *b);

/*
 * The file that was mapped as path: by id, or by path alone if id is NULL or its size is 0. name: "elf", "debug", "kallsyms" or "vdso", only used
 * with an id. A descriptor for reading, the caller's; -ENOENT: there is none; else -errno. b may be NULL: -ENOENT. Any thread may call it.
 */
int bundle__open_file(const struct bundle *b, const struct build_id *id, const char *path, const char *name);

/*
 * The name of the member for that file; kept: perf did not see it by its path. Malloc'ed; NULL: it can have none, or there is no memory.
 */
char *bundle__member_name(const struct build_id *id, const char *path, const char *name, bool kept);

#endif
