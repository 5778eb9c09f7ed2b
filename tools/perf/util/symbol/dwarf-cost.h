/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Estimates the memory that libdw will need for parts of debug information, before it reads them. One byte may make a line of a
 * hundred bytes, a few bytes a name as long as the longest directory, and each unit has a copy of an abbreviation table that
 * thousands may share.
 */
#ifndef PERF_SYMBOL_DWARF_COST_H
#define PERF_SYMBOL_DWARF_COST_H

#include <elfutils/libdw.h>
#include "util/symbol/elf-budget.h"

/* Take the maximum for all units and their abbreviations from the budget; false: the budget is too small. */
bool dwarf_cost__take_units(Dwarf *dw, struct elf_budget *b);
/*
 * The same for the line table of a unit and the names of its files. *lines is the maximum number of lines. After libdw has read it,
 * __settle_lines() returns to the budget what they did not need. Call it once for each unit.
 */
bool dwarf_cost__take_lines(Dwarf_Die *cu, struct elf_budget *b, u64 *lines);
void dwarf_cost__settle_lines(struct elf_budget *b, u64 lines, Dwarf_Die *cu);

#endif
