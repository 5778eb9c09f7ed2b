/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes an ELF file that has no code, but symbols and a line table (DWARF 4) for ranges of addresses, as a compiler would have left them: see
 * names.h. An address is its offset in the file; what no table is in is a hole.
 */
#ifndef PERF_INTERP_IMAGE_H
#define PERF_INTERP_IMAGE_H

#include "util/interp/interp.h"
#include "util/perfdata/features.h" /* struct build_id */

struct interp_symbol {
	u32 at, bytes;
	struct interp_function fn;
};

/* fd: an empty file. 0, or -errno. */
int interp_image__write(int fd, const struct build_id *id, const char *interpreter, const struct interp_symbol *symbol, u32 nr);

#endif
