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
	struct elf_file runtime; /* the object itself; if .debug_info is elsewhere, only for its segments */
	struct elf_file debug;	 /* the file with .debug_info, if has_debug; otherwise it is runtime */
	struct elf_file shared;	 /* the file that .gnu_debugaltlink names, if has_shared */
	bool has_debug, has_shared;
	Dwarf *dw; /* NULL: there is no debug information */
	Dwarf *dw_shared;
	u64 size; /* size on disk of the file with .debug_info, approximately: no walk over a sane file takes more steps */
};

struct mapped_files;

struct dwarf_file_opts {
	const char *opened; /* NULL, or what is read in place of path: an open file of it, "/proc/self/fd/3"; not with symfs */
	const char *symfs; /* NULL or a root to look files up under */
	const char *cache; /* NULL or a build-id cache, see recorded-file.h */
	const struct bundle *bundle; /* NULL or what the recording came with, see recorded-file.h */
	const struct dso *dso; /* NULL, or the dso whose processes may have the file, see recorded-file.h */
	struct mapped_files *mapped; /* NULL, or see recorded-file.h */
	bool locations;	   /* read the lists of locations of variables, too: an eighth of all debug information */
	bool debuginfod;   /* ask the servers in $DEBUGINFOD_URLS, too */
};

/*
 * want: the recorded build-id, NULL or of size 0: any. 0, also without debug information; -ESTALE: the object at path has another
 * build-id; otherwise as elf_file__open(). After an error there is nothing to close.
 */
int dwarf_file__open(struct dwarf_file *file, const char *path, const struct build_id *want, const struct dwarf_file_opts *opts,
		     struct errmsg *err);
struct elf_file *dwarf_file__elf(struct dwarf_file *file); /* the file with .debug_info */
/* What did not fit into the budget, see elf-budget.h; NULL: nothing was left out. */
const char *dwarf_file__left_out(struct dwarf_file *file);
void dwarf_file__close(struct dwarf_file *file);

#endif
