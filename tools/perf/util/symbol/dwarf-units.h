/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an address to its compilation unit, its function and what is inlined there. Indices of our own, since libdw's search
 * goes through a whole unit for each address and counts on .debug_aranges, which clang does not write.
 *
 * The file may be hostile: each walk has a number of steps that no honest file needs, and nothing recurses.
 */
#ifndef PERF_SYMBOL_DWARF_UNITS_H
#define PERF_SYMBOL_DWARF_UNITS_H

#include <elfutils/libdw.h>
#include "util/lib/types.h"

struct dwarf_units;

struct dwarf_unit;

/* dw must outlive them, and fd is that of its file; max_steps is for making all indices together. NULL: -ENOMEM. */
struct dwarf_units *dwarf_units__new(Dwarf *dw, int fd, u64 max_steps);
void dwarf_units__delete(struct dwarf_units *units);

/* The unit that has code at vaddr. 0, -ENOENT or -ENOMEM. */
int dwarf_units__find(struct dwarf_units *units, u64 vaddr, struct dwarf_unit **unit);
/* Its entry in the file itself, which has the line table; with split DWARF the functions are in another file. */
Dwarf_Die *dwarf_unit__die(struct dwarf_unit *unit);

/* The functions inlined at vaddr, innermost first, at most max: die gets their DW_TAG_inlined_subroutine. Returns how many. */
u32 dwarf_unit__inlined(struct dwarf_unit *unit, u64 vaddr, Dwarf_Die *die, u32 max);

#endif
