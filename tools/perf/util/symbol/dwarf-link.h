/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug information names other files with more of it: .dwo files and those of dwz. libdw opens them by itself, blocks if one is a
 * FIFO, and reads whatever size they claim. So check .dwo files before libdw needs them, and open files of dwz for it.
 */
#ifndef PERF_SYMBOL_DWARF_LINK_H
#define PERF_SYMBOL_DWARF_LINK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "util/symbol/elf-file.h"

/*
 * fd: of the file with the debug information; relative names start in its directory, as in libdw. Takes the size of the unit's .dwo
 * file from the budget.
 */
bool dwarf_link__unit_is_safe(int fd, Dwarf_Die *skeleton, struct elf_budget *b);
/*
 * Open the file that .gnu_debugaltlink names: by its build-id below /usr/lib/debug in symfs; without symfs (NULL) also by its name.
 * 0, -ENOENT: there is no link, or -errno.
 */
int dwarf_link__open_shared(struct elf_file *shared, const struct elf_file *file, const char *symfs);

#endif
