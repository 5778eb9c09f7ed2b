/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory that reading one untrusted file may take. Its sizes are claims: a sparse file has terabytes in a few blocks, a
 * compressed section unpacks to a thousand times its size, and few bytes of DWARF make many lines. Only data on disk, not holes,
 * costs the owner of the file something. So the budget is proportional to the data on disk:
 *
 *	256 KiB + 32 * disk, but at most 1 GiB + 4 * disk
 *
 * Sections of debug information unpack to four times their size, some file systems halve that again, and the tables of a small
 * program with one large unit are about ten times as large as the section they are built from. Large files have many units, and few
 * of them are used: such files get the space for their unpacked contents, and 1 GiB for tables.
 */
#ifndef PERF_SYMBOL_ELF_BUDGET_H
#define PERF_SYMBOL_ELF_BUDGET_H

#include <stdbool.h>
#include "util/lib/types.h"

struct elf_budget {
	u64 disk; /* bytes on disk */
	u64 left; /* bytes of memory that are left */
	char left_out[160]; /* the first thing that did not fit, and why; "": everything fitted */
};

/* Initialize for an open file; keeps its file position. */
void elf_budget__init(struct elf_budget *b, int fd);
/* Initialize for size bytes that are already in memory. */
void elf_budget__init_memory(struct elf_budget *b, u64 size);

/* Take that many bytes for what: "section .symtab", "the symbols" ... false: fewer are left; notes what was left out. */
bool elf_budget__take(struct elf_budget *b, u64 bytes, const char *what);
/* Are that many bytes left? Notes what was left out if not. */
bool elf_budget__has(struct elf_budget *b, u64 bytes, const char *what);
/* Note what was left out for another reason. Only the first note is kept. */
__attribute__((format(printf, 2, 3))) void elf_budget__note(struct elf_budget *b, const char *fmt, ...);

#endif
