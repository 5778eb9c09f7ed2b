/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of the files that tables for unwinding are of, for frames that are places in files (struct tally_opts, by_file): a number
 * for each file, which stays the same while its table comes and goes.
 */
#ifndef PERF_SOURCE_UNWIND_FILES_H
#define PERF_SOURCE_UNWIND_FILES_H

#include "util/bpf_skel/unwind-sample.h"
#include "util/lib/types.h"
#include "util/perfdata/features.h" /* struct build_id */

struct unwind_files;

struct unwind_named_file {
	char *name; /* "[vdso]" for that */
	u64 size;   /* bytes */
	struct build_id build_id;
};

struct unwind_files *unwind_files__new(void); /* NULL: no memory is left */
void unwind_files__delete(struct unwind_files *files); /* NULL is fine */

/* Note a file. fd: of the file, -1: the vdso; link: names it, as those in /proc/PID/map_files do. -ENOMEM */
int unwind_files__add(struct unwind_files *files, const struct unwind_key *key, int fd, const char *link);

u32 unwind_files__id(const struct unwind_files *files, const struct unwind_key *key); /* 0: it is not known */
/* NULL: no file has this number. Valid until the next add */
const struct unwind_named_file *unwind_files__find(const struct unwind_files *files, u32 id);

#endif
