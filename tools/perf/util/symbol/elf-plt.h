/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols for the entries of the procedure linkage table, which have none in the file. */
#ifndef PERF_SYMBOL_ELF_PLT_H
#define PERF_SYMBOL_ELF_PLT_H

#include "util/symbol/elf-file.h"
#include "util/symbol/symtab-build.h"

/*
 * Add "name@plt" for each entry of .plt, .plt.sec and .plt.got (x86-64, aarch64) and ".plt" for the rest of .plt. Settle the builder
 * first, so that entries of IFUNCs without a symbol get the name of their resolver. 0, -ENOMEM or -E2BIG.
 */
int elf_plt__add(struct symtab_builder *b, const struct elf_file *file);

#endif
