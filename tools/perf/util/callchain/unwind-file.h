/* SPDX-License-Identifier: GPL-2.0 */
/* The files that stacks are unwound with. */
#ifndef PERF_CALLCHAIN_UNWIND_FILE_H
#define PERF_CALLCHAIN_UNWIND_FILE_H

#include "util/machine/machine.h"
#include "util/symbol/recorded-file.h"

/*
 * Open the file of a dso, or the vdso, with all sections hidden that unwinding does not need. 0, or -errno: it is not there, another one,
 * or too large for what it has on disk; then there is nothing to close.
 */
int unwind_file__open(struct machine *machine, const struct file_places *places, const struct dso *dso, struct elf_file *file);

/* The offset in its file of an address in the map. */
static inline u64 unwind_file__offset(const struct map *map, u64 ip)
{
	return ip - map->start + map->pgoff;
}

#endif
