/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What libdw will take in memory for parts of debug information, before it is asked for them: a byte may be a line of a hundred bytes, few
 * bytes a name as long as the longest directory, and each unit has a copy of an abbreviation table that thousands may share.
 */
#ifndef PERF_SYMBOL_DWARF_COST_H
#define PERF_SYMBOL_DWARF_COST_H

#include <elfutils/libdw.h>
#include "util/symbol/elf-budget.h"

/* Take from the budget what all units and their abbreviations may come to; false: there is no room for that. */
bool dwarf_cost__take_units(Dwarf *dw, struct elf_budget *b);
/*
 * The same for the line table of a unit, which has the names of its files, too. *lines is how many there are at most. When libdw has read it,
 * __settle_lines() gives back what they did not take. To be asked once for each unit.
 */
bool dwarf_cost__take_lines(Dwarf_Die *cu, struct elf_budget *b, u64 *lines);
void dwarf_cost__settle_lines(struct elf_budget *b, u64 lines, Dwarf_Die *cu);

#endif
