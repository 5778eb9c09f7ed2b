/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ELF file that was mapped when it was recorded: where it was, or a copy of it in a build-id cache, the directory that perf
 * buildid-cache and perf record fill ($HOME/.debug). There .build-id/ab/cdef.../elf is the file with the build-id abcdef...; of
 * kernels there is "kallsyms", of the vdso "vdso". Caches of old perfs have the file itself in the directory's place.
 */
#ifndef PERF_SYMBOL_RECORDED_FILE_H
#define PERF_SYMBOL_RECORDED_FILE_H

#include "util/symbol/elf-file.h"

struct file_places {
	const char *symfs; /* NULL, or a root to look files up under */
	const char *cache; /* NULL, or a build-id cache */
};

/*
 * want: the recorded build-id, NULL or of size 0: any file of that name is right, and no cached one. -ESTALE: another file has that
 * name now; else as elf_file__open().
 */
int recorded_file__open(struct elf_file *file, const char *path, const struct build_id *want, const struct file_places *places,
			struct errmsg *err);

/* What the cache has of that build-id: a path, malloc'ed; NULL: nothing. */
char *build_id_cache__find(const char *cache, const struct build_id *id, const char *name);

#endif
