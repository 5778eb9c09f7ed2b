/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ELF file that was mapped when it was recorded: where it was, or a copy of it in a build-id cache (build-id-cache.h).
 */
#ifndef PERF_SYMBOL_RECORDED_FILE_H
#define PERF_SYMBOL_RECORDED_FILE_H

#include "util/machine/machine.h"
#include "util/symbol/bundle.h"
#include "util/symbol/elf-file.h"

struct mapped_files;

struct file_places {
	const char *symfs; /* NULL, or a root to look files up under */
	const char *cache; /* NULL, or a build-id cache */
	const struct bundle *bundle; /* NULL, or where files are taken from first */
	const struct dso *dso; /* NULL, or the dso whose processes may see the file where we do not, as in containers */
	struct mapped_files *mapped; /* NULL, or remembers what processes have mapped, from one file to the next */
};

/*
 * If the file is missing or another one, use the file of a process that has it mapped, if the recorded build-id matches: the file
 * below the process's root directory, or its mapped file even if it was deleted.
 *
 * want: the recorded build-id, NULL or of size 0: any file at path matches, and the cache is not used. -ESTALE: path now names
 * another file; otherwise as elf_file__open().
 */
int recorded_file__open(struct elf_file *file, const char *path, const struct build_id *want, const struct file_places *places,
			struct errmsg *err);

/*
 * A file of names of code made at run time, which came with the recording: from the bundle, or from the cache by the id that perf record has made
 * up for it (NULL: none). A descriptor, or -ENOENT and others: it has stayed where it was. places may be NULL.
 */
int recorded_file__open_data(const char *path, const struct build_id *id, const struct file_places *places);

#endif
