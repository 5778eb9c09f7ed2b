/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug information names other files with more of it: .dwo files, and those that dwz makes. libdw opens them by itself, waits
 * where a FIFO stands in their place, and reads whatever they claim to hold. So .dwo files are looked at before libdw is asked for what is
 * there, and files of dwz are opened for it.
 */
#ifndef PERF_SYMBOL_DWARF_LINK_H
#define PERF_SYMBOL_DWARF_LINK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "util/symbol/elf-file.h"

/*
 * fd is that of the file with the debug information: relative names count from its directory, as for libdw. What the unit's .dwo file takes
 * is taken from the budget.
 */
bool dwarf_link__unit_is_safe(int fd, Dwarf_Die *skeleton, struct elf_budget *b);
/*
 * Open what .gnu_debugaltlink of the file names: by its build-id below /usr/lib/debug, which is looked up under symfs, or without symfs (NULL)
 * by its name, too. 0, -ENOENT: there is no link, or -errno.
 */
int dwarf_link__open_shared(struct elf_file *shared, const struct elf_file *file, const char *symfs);

#endif
