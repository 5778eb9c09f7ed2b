/* SPDX-License-Identifier: GPL-2.0 */
/* Looks up what a file exports, by the hash table of the dynamic linker: a few reads, however many symbols there are. */
#ifndef PERF_INTERP_DYNSYM_H
#define PERF_INTERP_DYNSYM_H

#include "util/symbol/elf-file.h"

/* false: the file does not export it, or has no DT_GNU_HASH. */
bool dynsym__find(const struct elf_file *elf, const char *name, GElf_Sym *sym);

#endif
