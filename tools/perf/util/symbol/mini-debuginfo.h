/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MiniDebugInfo: files of Fedora and its relatives are stripped, but keep the symbols of their local functions in the section
 * .gnu_debugdata. It is an ELF file packed by xz, whose .symtab has what .dynsym lacks; its addresses are those of the stripped file.
 */
#ifndef PERF_SYMBOL_MINI_DEBUGINFO_H
#define PERF_SYMBOL_MINI_DEBUGINFO_H

#include "util/symbol/elf-file.h"

struct mini_debuginfo {
	struct elf_file elf;
	void *image; /* unpacked */
};

/*
 * Unpack and open it; what that takes comes from the file's budget, which notes damage, too. -ENOENT: there is none, or it cannot be
 * used; -ENOMEM. After an error there is nothing to close.
 */
int mini_debuginfo__open(struct mini_debuginfo *mini, struct elf_file *file);
void mini_debuginfo__close(struct mini_debuginfo *mini);

#endif
