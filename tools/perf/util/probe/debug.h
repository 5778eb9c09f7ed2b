/* SPDX-License-Identifier: GPL-2.0 */
/* Functions and lines of a file with debug information, by their names. */
#ifndef PERF_PROBE_DEBUG_H
#define PERF_PROBE_DEBUG_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "util/lib/errmsg.h"
#include "util/lib/types.h"
#include "util/symbol/dwarf-file.h"
#include "util/symbol/dwarf-units.h"
#include "util/symbol/dwarf-vars.h"
#include "util/symbol/probe-finder.h"

struct probe_debug {
	char *path;
	const char *opened; /* the caller's, or NULL */
	const char *symfs; /* the caller's */
	struct dwarf_file file;
	struct elf_file code; /* the same file as file.runtime, with its contents */
	struct dwarf_units *units;
	struct dwarf_vars *vars;
};

/* symfs and file->opened must outlive it. -ENODATA: the file has no debug information; -ENOMEM; errors of opening it. */
int probe_debug__open(struct probe_debug *debug, const struct probe_file *file, const char *symfs, struct errmsg *err);
void probe_debug__close(struct probe_debug *debug);

/* Does the path end with these whole components? "net/tcp.c" fits "/src/net/tcp.c". NULL fits all. */
bool probe_path__fits(const char *path, const char *end);
bool probe_name__fits(const char *name, const char *wanted); /* wanted may be a glob */

struct probe_wanted_function {
	const char *name; /* of C; or as perf prints it, see probe/symbols.h; or a glob, if no function has it */
	const char *file; /* NULL: any */
	bool no_inlines;
};

struct probe_function { /* one with code, or one that is inlined somewhere */
	Dwarf_Die die;
	u64 entry;	/* address of its first instruction */
	bool is_inlined;
};

/* Call cb for each function and each place where one is inlined until it returns non-zero; returns that value. */
int probe_debug__for_each_function(struct probe_debug *debug, const struct probe_wanted_function *wanted,
				   int (*cb)(const struct probe_function *function, void *data), void *data);

struct probe_row { /* of a line table: where a statement begins */
	u64 vaddr;
	const char *file;
	u64 line;
};
int probe_debug__for_each_row(struct probe_debug *debug, int (*cb)(const struct probe_row *row, void *data), void *data);

/* Get the innermost function at vaddr: one that is inlined there, or the one that was compiled. false: unknown. */
bool probe_debug__function_at(struct probe_debug *debug, u64 vaddr, struct probe_function *function);
bool probe_debug__outer_function_at(struct probe_debug *debug, u64 vaddr, struct probe_function *function); /* the one that was compiled */
/* The one that was compiled if it begins at vaddr, whatever is inlined there; otherwise the innermost one. */
bool probe_debug__beginning_at(struct probe_debug *debug, u64 vaddr, struct probe_function *function);
/* The function at row->vaddr whose source has the line: the last one that begins before it in that file. false: none. */
bool probe_debug__function_of_row(struct probe_debug *debug, const struct probe_row *row,
				  struct probe_function *function);
bool probe_function__contains(const struct probe_function *function, u64 vaddr);
/* Where it begins in the source; file NULL: unknown. */
const char *probe_function__declared(const struct probe_function *function, u64 *line);
/* Behind the instructions that set up the frame, for code without optimisation, whose variables are not there before; entry for other code. */
u64 probe_function__body(struct probe_function *function);
bool probe_debug__is_optimised(struct probe_debug *debug, struct probe_function *function);

#endif
