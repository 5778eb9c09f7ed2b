/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug information names other files with more of it: .dwo files, and those that dwz makes. libdw opens them by itself, and waits
 * where a FIFO stands in their place. So these places are looked at before libdw is asked for what is there.
 */
#ifndef PERF_SYMBOL_DWARF_LINK_H
#define PERF_SYMBOL_DWARF_LINK_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* fd is that of the file with the debug information: relative names count from its directory, as for libdw. */
bool dwarf_link__is_safe(int fd, Dwarf *dw); /* .gnu_debugaltlink, if there is one */
bool dwarf_link__unit_is_safe(int fd, Dwarf_Die *skeleton);

#endif
