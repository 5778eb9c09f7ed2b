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
#include "util/symbol/elf-file.h"

struct dwarf_units;

struct dwarf_unit;

/* dw and its file must outlive them; max_steps is for making all indices together. NULL: -ENOMEM. */
struct dwarf_units *dwarf_units__new(Dwarf *dw, struct elf_file *file, u64 max_steps);
void dwarf_units__delete(struct dwarf_units *units);

struct dwarf_unit *dwarf_units__find(struct dwarf_units *units, u64 vaddr); /* that has code there; NULL: none */
/* Its entry in the file itself, which has the line table; with split DWARF the functions are in another file. */
Dwarf_Die *dwarf_unit__die(struct dwarf_unit *unit);
/* Whether its lines and the names of its files may be asked for: there is room for them. The first time libdw reads them. */
bool dwarf_units__has_lines(struct dwarf_units *units, struct dwarf_unit *unit);

/*
 * The function that has vaddr and what is nested in it there, outermost first, at most max: functions, inlined ones, and blocks.
 * Returns how many; without memory 0, and errno is ENOMEM.
 */
u32 dwarf_units__scopes(struct dwarf_units *units, struct dwarf_unit *unit, u64 vaddr, Dwarf_Die *die, u32 max);
/*
 * Show each variable of the unit that is of no function until cb returns something else than 0, which is returned then. They take steps
 * from those of all units.
 */
int dwarf_units__for_each_global(struct dwarf_units *units, struct dwarf_unit *unit, int (*cb)(Dwarf_Die *variable, void *data),
				 void *data);
/* The unit with that number, from 0 on; NULL: there are no more. */
struct dwarf_unit *dwarf_units__at(struct dwarf_units *units, size_t nr);

/* The functions inlined at vaddr, innermost first, at most max: die gets their DW_TAG_inlined_subroutine. The same returns. */
u32 dwarf_units__inlined(struct dwarf_units *units, struct dwarf_unit *unit, u64 vaddr, Dwarf_Die *die, u32 max);

#endif
