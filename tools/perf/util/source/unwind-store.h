/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of tables in the kernel: segments of chunks, as bpf_skel/unwind-sample.h describes. It only knows words and rules; which
 * file a table is of is up to unwind-feeder.c.
 */
#ifndef PERF_SOURCE_UNWIND_STORE_H
#define PERF_SOURCE_UNWIND_STORE_H

#include "util/bpf/programs.h"
#include "util/bpf_skel/unwind-sample.h"
#include "util/lib/types.h"
#include "util/unwind/table.h"

struct unwind_store;

/* NULL: no memory. programs must outlive the store. */
struct unwind_store *unwind_store__new(const struct bpf_programs *programs, size_t max_bytes);
void unwind_store__delete(struct unwind_store *store); /* NULL is fine */

/* Copy the rules that are new since the last call to the programs. -errno */
int unwind_store__put_rules(struct unwind_store *store, const struct unwind_rules *rules);

/*
 * Copy a table to where no program reads so far; *file describes the place. -ENOSPC: no room is left; -E2BIG: larger than any table
 * may be, or than all of the store; other -errno of bpf(2).
 */
int unwind_store__put(struct unwind_store *store, const struct unwind_table *table, struct unwind_file *file);

/* The id of the rule at that offset of the file, as programs find it. */
u32 unwind_store__rule(const struct unwind_store *store, const struct unwind_file *file, u64 offset);

/* Free the place. No program may use it any more. */
void unwind_store__free(struct unwind_store *store, const struct unwind_file *file);

/* The number of chunks that a place has. */
u32 unwind_store__size(const struct unwind_store *store, const struct unwind_file *file);
u32 unwind_store__max_chunks(const struct unwind_store *store);

#endif
