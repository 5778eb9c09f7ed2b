/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables for unwinding that were made before: of a compiler it takes 20 ms to make one, 2 ms to read it. They are files in the directory
 * UNWIND_CACHE_DIR of the build-id cache. One is only used for the file that it was made of, as far as the file system tells (device, inode,
 * generation, size, times), by the same build of perf, and if it belongs to this user or root and is whole; else the table is made
 * again. Nothing here fails: what cannot be kept or used is made.
 */
#ifndef PERF_SOURCE_UNWIND_CACHE_H
#define PERF_SOURCE_UNWIND_CACHE_H

#include <stdbool.h>
#include "util/bpf_skel/unwind-sample.h"
#include "util/lib/types.h"
#include "util/unwind/rules.h"
#include "util/unwind/table.h"

#define UNWIND_CACHE_DIR ".unwind"
#define UNWIND_CACHE_MAX_BYTES (64 << 20) /* of all files; those that were not used for longest are removed */
#define UNWIND_CACHE_MIN_ROWS 2048 /* making smaller tables takes as long as reading them */

struct unwind_cache;

/* dir: the build-id cache, which is made when there is something to keep. NULL: no memory */
struct unwind_cache *unwind_cache__new(const char *dir);
/* Writes what is kept still. NULL is fine */
void unwind_cache__delete(struct unwind_cache *cache);

/*
 * The table of an open file, as unwind_table__load_fd() would make it. generation: of its inode. false: there is none.
 * cache: NULL is fine, here and below.
 */
bool unwind_cache__load(struct unwind_cache *cache, int fd, u32 generation, struct unwind_rules *rules, struct unwind_table **table);

/*
 * The next one of the files that were used last and are likely to be met again: those of the file system that / is on, up to some MB of tables.
 * Returns its descriptor, which is for unwind_cache__load() and for the caller to close; -EAGAIN: this one cannot be opened, try the next;
 * -ENOENT: there are no more. *key: what the kernel knew it by.
 */
int unwind_cache__next(struct unwind_cache *cache, struct unwind_key *key);

/*
 * Keep the table that was made of this file. before: unwind_cache__begin()'s answer for it, since when it must not have changed. It is
 * in memory until the next write.
 */
struct unwind_cache_stamp {
	u64 word[8]; /* device, inode, generation, size, times */
};
void unwind_cache__begin(int fd, u32 generation, struct unwind_cache_stamp *stamp);
void unwind_cache__keep(struct unwind_cache *cache, int fd, const struct unwind_key *key, const struct unwind_cache_stamp *before,
			const struct unwind_rules *rules, const struct unwind_table *table);
/* Write one of the tables that are kept. false: all are written. */
bool unwind_cache__write(struct unwind_cache *cache);

#endif
