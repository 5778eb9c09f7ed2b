/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The source position of an instruction: its file and line, and the functions inlined there. Read from the object's debug
 * information (DWARF) in this process; results are cached. Not thread-safe.
 */
#ifndef PERF_SYMBOL_SRCLINE_H
#define PERF_SYMBOL_SRCLINE_H

#include <stdbool.h>
#include <stddef.h>
#include "util/symbol/dwarf-file.h"
#include "util/symbol/dwarf-units.h"
#include "util/symbol/symtab.h"

struct srcline_frame {
	const struct symbol *sym; /* an inlined function; NULL in the last frame: the function of the symbol table */
	const char *file;	  /* as the compiler wrote it: absolute, or relative to dir; NULL: unknown */
	const char *dir;	  /* the compiler's working directory; NULL: unknown, or file is absolute */
	u32 line;		  /* 0: unknown */
};

/*
 * frame[0] is the source of the instruction, frame[1] the call of that function, and so on up to the function that everything was
 * inlined into.
 */
struct srcline {
	u32 nr; /* at least 1 */
	struct srcline_frame frame[];
};

struct srclines; /* of one object */

/* 0, also without debug information; errors as dwarf_file__open(). */
int srclines__open(const char *path, const struct build_id *want, const struct dwarf_file_opts *opts, bool no_demangle,
		   struct srclines **lines, struct errmsg *err);
void srclines__delete(struct srclines *lines);

/*
 * offset: of the instruction, in the file. base: the symbol there; inlined functions get its address (NULL: none). NULL: unknown.
 * The result and all it points to live as long as lines.
 */
const struct srcline *srclines__find(struct srclines *lines, u64 offset, const struct symbol *base);
/* The same, but NULL unless functions are inlined there: then no line tables are read, which take most of the time. */
const struct srcline *srclines__inlined(struct srclines *lines, u64 offset, const struct symbol *base);
/* The file it reads from; NULL units: there is no debug information. They live as long as lines. */
const struct dwarf_file *srclines__file(const struct srclines *lines);
struct dwarf_units *srclines__units(const struct srclines *lines);
/* What did not fit into the budget, see elf-budget.h; NULL: nothing was left out. */
const char *srclines__left_out(struct srclines *lines);
bool srclines__lacked_memory(const struct srclines *lines); /* some were not found because memory ran out */

/* Convert offset to an address in the object's headers, as addr2line takes it; offset itself if no segment contains it. */
u64 srclines__vaddr(const struct srclines *lines, u64 offset);

/* The reverse; UINT64_MAX: no segment contains it. */
u64 srclines__offset(const struct srclines *lines, u64 vaddr);

/* "file.c:12", full: with its directories; "??:0" if the file is unknown. As snprintf(). */
int srcline_frame__snprint(const struct srcline_frame *frame, bool full, char *buf, size_t size);

#endif
