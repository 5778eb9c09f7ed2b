/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an address to its compilation unit, its function and the functions inlined there. Uses indices of our own: libdw's search
 * reads a whole unit for each address and needs .debug_aranges, which clang does not write.
 *
 * The file may be hostile: each walk has a limit of steps that no sane file reaches, and nothing recurses.
 */
#ifndef PERF_SYMBOL_DWARF_UNITS_H
#define PERF_SYMBOL_DWARF_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include "util/lib/types.h"
#include "util/symbol/elf-file.h"

struct dwarf_units;

struct dwarf_unit;

/* dw and its file must outlive them; max_steps limits building all indices together. NULL: -ENOMEM. */
struct dwarf_units *dwarf_units__new(Dwarf *dw, struct elf_file *file, u64 max_steps);
void dwarf_units__delete(struct dwarf_units *units);

struct dwarf_unit *dwarf_units__find(struct dwarf_units *units, u64 vaddr); /* the unit with code there; NULL: none */
/* The unit's DIE in the file itself, which has the line table; with split DWARF the functions are in another file. */
Dwarf_Die *dwarf_unit__die(struct dwarf_unit *unit);
/* May its lines and file names be read, or do they exceed the budget? On the first call libdw reads them. */
bool dwarf_units__has_lines(struct dwarf_units *units, struct dwarf_unit *unit);

/*
 * Get the function at vaddr and the scopes nested in it there, outermost first, at most max: functions, inlined functions and
 * blocks. Returns their number; 0 with errno ENOMEM: no memory.
 */
u32 dwarf_units__scopes(struct dwarf_units *units, struct dwarf_unit *unit, u64 vaddr, Dwarf_Die *die, u32 max);
/*
 * Call cb for each global variable of the unit until it returns non-zero; returns that value. The steps count against the limit of
 * all units.
 */
int dwarf_units__for_each_global(struct dwarf_units *units, struct dwarf_unit *unit, int (*cb)(Dwarf_Die *variable, void *data),
				 void *data);
/* Call cb for all DIEs of the unit; into_functions: also those in functions. Otherwise the same. */
int dwarf_units__for_each(struct dwarf_units *units, struct dwarf_unit *unit, bool into_functions, int (*cb)(Dwarf_Die *die, void *data),
			  void *data);
/* Unit number nr, from 0 on; NULL: there are no more. */
struct dwarf_unit *dwarf_units__at(struct dwarf_units *units, size_t nr);

/*
 * Get the functions inlined at vaddr, innermost first, at most max: die is set to their DW_TAG_inlined_subroutine. Returns as
 * dwarf_units__scopes().
 */
u32 dwarf_units__inlined(struct dwarf_units *units, struct dwarf_unit *unit, u64 vaddr, Dwarf_Die *die, u32 max);

#endif
