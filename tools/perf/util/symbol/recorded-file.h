/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ELF file that was mapped when it was recorded: where it was, or a copy of it in a build-id cache (build-id-cache.h).
 */
#ifndef PERF_SYMBOL_RECORDED_FILE_H
#define PERF_SYMBOL_RECORDED_FILE_H

#include "util/machine/machine.h"
#include "util/symbol/elf-file.h"

struct file_places {
	const char *symfs; /* NULL, or a root to look files up under */
	const char *cache; /* NULL, or a build-id cache */
	const struct dso *dso; /* NULL, or the one whose processes may see the file where we do not, as those of containers do */
};

/*
 * Where there is no such file, or another one, that of a process that has it mapped is taken if it has the recorded build-id: what its root
 * directory shows, or what it has mapped although it was deleted.
 *
 * want: the recorded build-id, NULL or of size 0: any file of that name is right, and no cached one. -ESTALE: another file has that
 * name now; else as elf_file__open().
 */
int recorded_file__open(struct elf_file *file, const char *path, const struct build_id *want, const struct file_places *places,
			struct errmsg *err);

#endif
