/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks a user stack with all that call frame information says: every register of each frame, and expressions. It is for stacks with
 * frames that no rule of a table can express (UNWIND_HARD), slower than walk.h, and where a file has no such information, or has what
 * libdw cannot find, it takes the table's rule.
 */
#ifndef PERF_UNWIND_DWARF_WALK_H
#define PERF_UNWIND_DWARF_WALK_H

#include "util/symbol/elf-file.h"
#include "util/unwind/walk.h"

struct dwarf_cfi; /* of one file */

/*
 * Takes over fd, which was opened by regular-file.h; path is for messages. 0, or -errno and a text; -ENODATA: the file has no section
 * .eh_frame; -E2BIG: what it has there is too costly to run. The file may be hostile: see symbol/elf-file.h.
 */
int dwarf_cfi__open_fd(int fd, const char *path, struct dwarf_cfi **cfi, struct errmsg *err);
void dwarf_cfi__delete(struct dwarf_cfi *cfi); /* NULL is fine */

/* May libdwfl walk through this file, which runs whatever its .eh_frame has? 0, -E2BIG: that would take too long, -ENOMEM */
int dwarf_cfi__check_file(struct elf_file *file);

#define DWARF_NR_REGS 33

struct dwarf_frame { /* registers by DWARF number */
	u64 reg[DWARF_NR_REGS];
	u64 known; /* bit mask of them */
	u64 ip;
	bool exact; /* as in struct unwind_frame */
};

struct dwarf_walk {
	struct unwind_walk walk; /* its .reg is not called */
	/* Of the file at this address, and the offset there; NULL: unknown. It stays valid during the walk. */
	struct dwarf_cfi *(*cfi)(void *context, u64 ip, u64 *offset);
};

/* As unwind_walk__run(). */
enum unwind_end dwarf_walk__run(const struct dwarf_walk *walk, struct dwarf_frame frame, u64 *ips, u32 max, u32 *nr);

#endif
