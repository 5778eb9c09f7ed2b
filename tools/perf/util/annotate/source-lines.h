/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source lines between instructions, for code whose debug information objdump does not read: split or 64-bit DWARF, units of link-time
 * optimisation, and files of dwz, whose names are relative to where the program lies. Ours does.
 */
#ifndef PERF_ANNOTATE_SOURCE_LINES_H
#define PERF_ANNOTATE_SOURCE_LINES_H

#include "util/annotate/code.h"

/* If code has no source lines, put them before the instructions that they are of. 0 or -ENOMEM; then code is as before. */
int source_lines__add(struct code_text *code, struct resolver *resolver, const struct location *loc, const struct code_opts *o);

#endif
