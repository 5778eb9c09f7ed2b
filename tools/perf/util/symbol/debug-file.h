/* SPDX-License-Identifier: GPL-2.0 */
/* Finding the separate file that holds the symbols or the debug information of a stripped one. */
#ifndef PERF_SYMBOL_DEBUG_FILE_H
#define PERF_SYMBOL_DEBUG_FILE_H

#include "util/symbol/bundle.h"
#include "util/symbol/elf-file.h"
#include "util/symbol/symtab.h"

/* root + path, malloc'ed; root may be NULL. NULL: -ENOMEM. */
char *path_below(const char *root, const char *path);

/*
 * Find the debug file of runtime, the object at path: by its build-id (size 0: none) below /usr/lib/debug/.build-id, by its
 * .gnu_debuglink, and by its path; before all by its build-id in the bundle (NULL: none). The file must contain the named section and have the same build-id; without build-ids, the
 * checksum of the link. 0 with debug opened; -ENOENT, -ENOMEM.
 */
int debug_file__open(struct elf_file *debug, const char *section, const char *path, const struct build_id *id,
		     struct elf_file *runtime, const char *symfs, const struct bundle *bundle);

#endif
