/* SPDX-License-Identifier: GPL-2.0 */
/* Which code an address is. */
#ifndef PERF_SYMBOL_LOCATION_H
#define PERF_SYMBOL_LOCATION_H

#include "util/machine/machine.h"
#include "util/symbol/srcline.h"
#include "util/symbol/symtab.h"

struct location {
	u64 addr;		   /* as sampled */
	u8 cpumode;		   /* PERF_RECORD_MISC_* of this frame; 0: unknown */
	u32 number;		   /* not 0: locations of this resolver with equal numbers are equal */
	const struct map *map;	   /* NULL: unknown */
	struct dso *dso;	   /* NULL: unknown */
	const struct symbol *sym;  /* NULL: unknown */
	u64 sym_addr;		   /* addr in the table's address space: sym_addr - sym->start is the offset in the symbol */
	u8 back;		   /* 1: sym_addr is a return address; the symbol and lines are those of the call before it. Else 0 */
	const struct srcline_frame *code; /* for frames of callchains with inlined functions; otherwise NULL, see resolver__code() */
};

/* The address whose symbol and lines are those of the location: that of the instruction, or the last byte of the call. */
static inline u64 location__code_addr(const struct location *loc)
{
	return loc->sym_addr - loc->back;
}

/* Convert an address to the address space of the dso's table. */
static inline u64 map__dso_addr(const struct map *map, u64 addr)
{
	if (map->of->dso->kind == DSO_USER)
		return addr - map->start + map->pgoff;
	return map->of->dso->kind == DSO_BPF ? addr - map->start : addr;
}

#endif
