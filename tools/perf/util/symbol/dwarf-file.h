/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The debug information of one object, wherever it is: in the object, in a separate debug file, partly in a file that several
 * share (dwz), or on a server.
 */
#ifndef PERF_SYMBOL_DWARF_FILE_H
#define PERF_SYMBOL_DWARF_FILE_H

#include <elfutils/libdw.h>
#include "util/symbol/elf-file.h"

struct dwarf_file {
	struct elf_file runtime; /* the object itself; for its segments alone, if .debug_info is not in it */
	struct elf_file debug;	 /* what holds .debug_info, if has_debug; else runtime does */
	struct elf_file shared;	 /* what .gnu_debugaltlink names, if has_shared */
	bool has_debug, has_shared;
	Dwarf *dw; /* NULL: there is no debug information */
	Dwarf *dw_shared;
	u64 size; /* bytes of the file with .debug_info that are on disk, or nearly: no honest walk over it takes more steps */
};

struct dwarf_file_opts {
	const char *symfs; /* NULL or a root to look files up under */
	const char *cache; /* NULL or a build-id cache, see recorded-file.h */
	const struct dso *dso; /* NULL, or whose processes may have the file, see there */
	bool debuginfod;   /* ask the servers in $DEBUGINFOD_URLS, too */
};

/*
 * want: the recorded build-id, NULL or of size 0: any. 0, also without debug information; -ESTALE: the object at path is another
 * one; else as elf_file__open(). After an error there is nothing to close.
 */
int dwarf_file__open(struct dwarf_file *file, const char *path, const struct build_id *want, const struct dwarf_file_opts *opts,
		     struct errmsg *err);
struct elf_file *dwarf_file__elf(struct dwarf_file *file); /* what holds .debug_info */
/* What there was no room for, see elf-budget.h; NULL: nothing was left out. */
const char *dwarf_file__left_out(struct dwarf_file *file);
void dwarf_file__close(struct dwarf_file *file);

#endif
