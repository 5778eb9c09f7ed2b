/* SPDX-License-Identifier: GPL-2.0 */
/* From (machine, thread, cpumode, address) to map, dso and symbol; loads a dso's table on its first use and caches it. */
#ifndef PERF_SYMBOL_RESOLVE_H
#define PERF_SYMBOL_RESOLVE_H

#include "util/machine/machine.h"
#include "util/symbol/data-type.h"
#include "util/symbol/insn.h"
#include "util/symbol/srcline.h"
#include "util/symbol/symtab.h"

struct resolver;

struct resolver_opts {
	struct symtab_opts symtab;
	const char *kallsyms;	/* NULL: /proc/kallsyms if it is the recorded kernel's */
	const char *vmlinux;	/* NULL: not used */
	bool debuginfod;	/* ask the servers in $DEBUGINFOD_URLS for debug information */
	bool no_inline;		/* callchains show no inlined functions */
};

struct location {
	u64 addr;		   /* as sampled */
	u8 cpumode;		   /* PERF_RECORD_MISC_* of this frame; unknown: 0 */
	u32 number;		   /* not 0: locations of this resolver with the same one are the same */
	const struct map *map;	   /* NULL: unknown */
	struct dso *dso;	   /* NULL: unknown */
	const struct symbol *sym;  /* NULL: unknown */
	u64 sym_addr;		   /* addr in the table's terms: sym_addr - sym->start is the offset in the symbol */
	const struct srcline_frame *code; /* of frames of callchains with inlined functions; else NULL, see resolver__code() */
};

struct resolver *resolver__new(struct machine *machine, const struct resolver_opts *opts);
void resolver__delete(struct resolver *r); /* tables are the dsos': see resolver__free_dso */
void resolver__free_dso(struct dso *dso);  /* for machine__new */

/* Fill loc; always succeeds, unknown parts are NULL. */
void resolver__resolve(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr, struct location *loc);

/*
 * The code line of a resolved location, and what is inlined there, from the debug information of the dso's file: read on first
 * use, of a kernel from its vmlinux. NULL: unknown. Lives as long as the dso. Not for several threads at a time.
 */
const struct srcline *resolver__srcline(struct resolver *r, const struct location *loc);
/* The code line of this very location, which may be a call of an inlined function. NULL: unknown. */
const struct srcline_frame *resolver__code(struct resolver *r, const struct location *loc);
/* As resolver__srcline(), but NULL unless there are inlined functions and callchains are to show them. */
const struct srcline *resolver__inlined(struct resolver *r, const struct location *loc);
/* What the instruction at a resolved location accesses; never NULL. Lives as long as the dso. Not for several threads at a time. */
const struct data_type *resolver__data_type(struct resolver *r, const struct location *loc);
/*
 * The bytes of the instruction at a resolved location, from the file that was mapped there; returns how many. 0: unknown, as they are of
 * a kernel, which patches its own code, of other machines than x86-64, and without libcapstone. Not for several threads at a time.
 */
u32 resolver__insn(struct resolver *r, const struct location *loc, u8 code[INSN_MAX_SIZE]);
/*
 * Some such address will be resolved, as frame of a callchain: what that takes is to be loaded. With __begin_loading() other threads
 * begin with that, of all that was told the heaviest first. All functions here are for one thread nevertheless.
 */
void resolver__load_ahead(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr);
void resolver__begin_loading(struct resolver *r);
/*
 * Call run once, in any thread, when what was to be loaded ahead so far is loaded, or nearly; without memory never. To be followed by
 * __end_notice(), after which run is not called any more.
 */
void resolver__notice_loaded(struct resolver *r, void (*run)(void *arg), void *arg);
void resolver__end_notice(struct resolver *r);
/* resolver__resolve() and resolver__inlined() in one: what is asked for again is not searched again. */
const struct srcline *resolver__resolve_frame(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr,
					      struct location *loc);
/*
 * An address is about to be resolved: start to fetch from memory where it is kept, and later what is kept there. maps_version is that
 * of its thread.
 */
void resolver__prefetch_slot(const struct resolver *r, u64 maps_version, u8 cpumode, u64 addr);
void resolver__prefetch(const struct resolver *r, u64 maps_version, u8 cpumode, u64 addr);
/*
 * How many bytes of memory are the dso's at this map. The kernel's reach from its first symbol to its last one, as in perf: the end of its map
 * may be a guess; without symbols they are those that were recorded. 0: unknown
 */
u64 resolver__mapped_size(struct resolver *r, const struct map *map);
/* The address as debuggers and addr2line take it with the dso's file. */
u64 resolver__file_address(struct resolver *r, const struct location *loc);

/* While this is the same, an address of the thread in one mode resolves to the same. See machine__maps_version(). */
u64 resolver__maps_version(const struct resolver *r, const struct thread *thread);

/*
 * Dsos whose table could not be loaded, with the reason and -errno, for one message at the end; of those whose debug information could not,
 * only if that was our own trouble, see fs__own_error(). -E2BIG: of the dso's file something was left out, see elf-budget.h.
 */
int resolver__for_each_failure(struct resolver *r, int (*cb)(const struct dso *dso, const char *why, int error, void *data),
			       void *data);

#endif
