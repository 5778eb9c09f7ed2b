/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What reading one file of somebody else may take in memory. Its sizes are claims: a sparse file has terabytes in a few blocks, a compressed
 * section a thousand times what it takes, and few bytes of DWARF make many lines. What a file really costs its owner is what is data in it,
 * not holes, and memory is granted in proportion to that.
 *
 *	256 KiB + 32 * disk, but at most 1 GiB + 4 * disk
 *
 * Sections of debug information unpack to four times their size, some file systems halve that again, and tables of a small program with one
 * large unit take some ten times the section that they are made of. Large files have many units, of which few are asked for: they get what
 * is in them, unpacked, and a gigabyte for what is made of it.
 */
#ifndef PERF_SYMBOL_ELF_BUDGET_H
#define PERF_SYMBOL_ELF_BUDGET_H

#include <stdbool.h>
#include "util/lib/types.h"

struct elf_budget {
	u64 disk; /* bytes */
	u64 left; /* bytes of memory */
	char left_out[160]; /* the first thing that there was no room for, and why; "": there was none */
};

/* For an open file, whose position stays as it is. */
void elf_budget__init(struct elf_budget *b, int fd);
/* For what is in memory already, size bytes of it. */
void elf_budget__init_memory(struct elf_budget *b, u64 size);

/* Take that many bytes for what: "section .symtab", "the symbols" ... false: there are not as many left, and that is noted. */
bool elf_budget__take(struct elf_budget *b, u64 bytes, const char *what);
/* Whether it could be taken; that it could not is noted. */
bool elf_budget__has(struct elf_budget *b, u64 bytes, const char *what);
/* What was left out for another reason. Only the first one is kept. */
__attribute__((format(printf, 2, 3))) void elf_budget__note(struct elf_budget *b, const char *fmt, ...);

#endif
